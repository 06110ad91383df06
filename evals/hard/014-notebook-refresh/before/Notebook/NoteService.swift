import Foundation

struct Note: Codable {
    let id: Int
    let title: String
    let day: String
}

protocol NoteService {
    /// The notes as they were fetched last.
    func cachedNotes() -> [Note]
    /// Fetches the notes and calls back on the main queue.
    func fetchNotes(done: @escaping ([Note]) -> Void)
    func delete(_ note: Note)
}
