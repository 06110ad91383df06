package net.larder.ui

/** All the words of the shopping list screen. */
object Texts {
    const val TITLE = "Shopping list"
    const val EMPTY_LIST = "No items"
    const val EMPTY_SEARCH = "No items found"
    const val EMPTY_NAME = "Please type a name"
    const val ADD = "Add"
    const val UNDO = "Undo"

    fun count(items: Int): String = when (items) {
        0 -> EMPTY_LIST
        1 -> "1 item"
        else -> "$items items"
    }

    fun removed(name: String): String = "$name was taken off the list"
}
