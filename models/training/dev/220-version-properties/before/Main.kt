import java.io.File
import java.util.Properties

fun main(args: Array<String>) {
    val props = Properties().apply {
        File("version.properties").reader().use { load(it) }
    }
    if ("--version" in args) {
        println("fernweh ${props.getProperty("version")}")
        return
    }
    Planner(File(args.first())).run()
}
