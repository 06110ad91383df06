package app

class ProfileRepository(private val api: ProfileApi, private val dao: ProfileDao) {

    fun cachedProfile(id: Long): Profile? = dao.find(id)

    suspend fun fetchProfile(id: Long): Profile {
        val remote = api.load(id)
        dao.insert(remote)
        return remote
    }

    suspend fun refreshAll(ids: List<Long>) {
        ids.forEach { fetchProfile(it) }
    }
}
