package contacts

import java.time.LocalDate

data class Contact(
    val id: Long,
    val firstName: String,
    val lastName: String,
    val email: String? = null,
    val birthday: LocalDate? = null,
) {
    val fullName: String
        get() = "$firstName $lastName"
}

data class Group(
    val id: Long,
    val title: String,
    val members: List<Contact> = emptyList(),
    val color: String? = null,
)
