package com.example.notes

import java.time.Clock
import java.time.Instant

class NoteRepository(
    private val dao: NoteDao,
    private val clock: Clock,
) {
    fun recent(since: Instant, limit: Int = 20): List<Note> = dao.newest(since, limit)

    fun search(words: String, limit: Int = 50): List<Note> = dao.matching("%$words%", limit)

    fun pinned(): List<Note> = dao.pinned(20)

    fun add(text: String): Note {
        val note = Note(text = text.trim(), created = clock.instant())
        dao.insert(note)
        return note
    }

    fun remove(note: Note) {
        dao.delete(note.id)
    }
}
