import Foundation

struct Playlist: Codable {
    var name: String
    var tracks: [URL]
}

final class PlaylistStore {
    private let folder: URL
    private let encoder = JSONEncoder()
    private let decoder = JSONDecoder()

    init(folder: URL) {
        self.folder = folder
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
    }

    func load(named name: String) throws -> Playlist {
        let data = try Data(contentsOf: fileURL(for: name))
        return try decoder.decode(Playlist.self, from: data)
    }

    func save(_ playlist: Playlist) throws {
        let data = try encoder.encode(playlist)
        try data.write(to: fileURL(for: playlist.name), options: [.atomic])
    }

    /// Writes the playlist as an M3U file for other players.
    func export(_ playlist: Playlist, to url: URL) throws {
        let lines = ["#EXTM3U"] + playlist.tracks.map(\.path)
        let data = Data(lines.joined(separator: "\n").utf8)
        try data.write(to: url)
    }

    private func fileURL(for name: String) -> URL {
        folder.appendingPathComponent(name).appendingPathExtension("json")
    }
}
