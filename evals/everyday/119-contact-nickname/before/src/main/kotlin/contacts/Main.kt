package contacts

import java.time.LocalDate

fun main() {
    val list = ContactList(
        listOf(
            Contact(1, "Ada", "Berg", email = "ada@example.org"),
            Contact(2, "Jo", "Alm", birthday = LocalDate.of(1990, 3, 14)),
        ),
    )
    list.sorted().forEach { println(it.fullName) }
}
