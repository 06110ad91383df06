package bistro

import java.time.Duration
import java.time.LocalDateTime

private val MAX_SITTING: Duration = Duration.ofMinutes(90)

data class Sitting(
    val table: Int,
    val from: LocalDateTime,
    val length: Duration,
    val name: String,
) {
    val until: LocalDateTime get() = from + length

    fun overlaps(other: Sitting): Boolean =
        table == other.table && from < other.until && other.from < until
}

class Tables(private val count: Int) {
    private val sittings = mutableListOf<Sitting>()

    fun book(sitting: Sitting) {
        require(sitting.table in 1..count) { "no such table" }
        require(sitting.length <= MAX_SITTING) { "sitting is too long" }
        check(sittings.none { it.overlaps(sitting) }) { "table is taken" }
        sittings += sitting
    }

    fun on(table: Int): List<Sitting> =
        sittings.filter { it.table == table }.sortedBy { it.from }
}
