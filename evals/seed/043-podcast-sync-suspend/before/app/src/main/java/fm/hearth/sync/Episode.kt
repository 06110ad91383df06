package fm.hearth.sync

import java.io.InputStream

data class Episode(
    val id: String,
    val title: String,
    val url: String,
    val bytes: Long,
    val extension: String = "mp3",
)

fun interface HttpSource {
    fun open(url: String): InputStream
}
