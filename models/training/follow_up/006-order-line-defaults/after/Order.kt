package bistro

data class OrderLine(
    val dish: String,
    val cents: Int = 0,
    val quantity: Int = 1,
)

class Order(private val table: Int) {
    private val lines = mutableListOf<OrderLine>()

    fun add(line: OrderLine) {
        lines += line
    }

    fun total() = lines.sumOf { it.cents * it.quantity }

    override fun toString() = "table $table: ${total()} ct"
}
