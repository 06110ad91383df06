class Catalogue(private val items: List<Item>) {

    fun search(term: String, page: Int = 0, pageSize: Int): List<Item> {
        val hits = items.filter { term.lowercase() in it.name.lowercase() }
        return hits.drop(page * pageSize).take(pageSize)
    }

    fun count(term: String): Int =
        items.count { term.lowercase() in it.name.lowercase() }
}

data class Item(val sku: String, val name: String, val cents: Int)
