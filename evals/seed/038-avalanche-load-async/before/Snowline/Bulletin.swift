import Foundation

struct Bulletin: Codable, Identifiable {
    let id: String
    let date: Date
    let regions: [String]
    /// From 1 (low) to 5 (very high).
    let danger: Int
    let text: String
}

protocol BulletinFeed: Sendable {
    func latest() async -> [Bulletin]
}

protocol BulletinCache: Sendable {
    func read() -> [Bulletin]
    func write(_ bulletins: [Bulletin])
}
