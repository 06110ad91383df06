package contacts

class ContactList(private val contacts: List<Contact>) {

    fun sorted(): List<Contact> =
        contacts.sortedWith(compareBy({ it.lastName }, { it.firstName }))

    fun withBirthdayIn(month: Int): List<Contact> =
        contacts.filter { it.birthday?.monthValue == month }

    fun find(words: String): List<Contact> =
        contacts.filter { it.fullName.contains(words, ignoreCase = true) }
}
