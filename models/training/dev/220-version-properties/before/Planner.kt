import java.io.File

class Planner(private val file: File) {
    fun run() {
        file.readLines()
            .filter { it.isNotBlank() }
            .sorted()
            .forEach(::println)
    }
}
