package fm.hearth.sync

import java.io.File
import java.io.IOException
import kotlinx.coroutines.CoroutineDispatcher
import kotlinx.coroutines.delay
import kotlinx.coroutines.withContext

class EpisodeLoader(
    private val http: HttpSource,
    private val folder: File,
    private val io: CoroutineDispatcher,
) {
    fun fileFor(episode: Episode): File = File(folder, "${episode.id}.${episode.extension}")

    fun isLoaded(episode: Episode): Boolean = fileFor(episode).length() == episode.bytes

    suspend fun download(episode: Episode): File = withContext(io) {
        val target = fileFor(episode)
        val part = File(folder, "${episode.id}.part")
        http.open(episode.url).use { input ->
            part.outputStream().use { output -> input.copyTo(output) }
        }
        if (!part.renameTo(target)) throw IOException("can't rename $part")
        target
    }

    suspend fun downloadAll(episodes: List<Episode>, attempts: Int = 3): List<Episode> {
        val failed = mutableListOf<Episode>()
        for (episode in episodes.filterNot(::isLoaded)) {
            if (!tryOften(episode, attempts)) failed += episode
        }
        return failed
    }

    private suspend fun tryOften(episode: Episode, attempts: Int): Boolean {
        repeat(attempts) { attempt ->
            try {
                download(episode)
                return true
            } catch (e: IOException) {
                delay(1000L shl attempt)
            }
        }
        return false
    }

    fun remove(episode: Episode): Boolean = fileFor(episode).delete()
}
