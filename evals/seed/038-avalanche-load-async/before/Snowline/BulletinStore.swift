import Foundation

actor BulletinStore {
    private let feed: BulletinFeed
    private let cache: BulletinCache
    private(set) var bulletins: [Bulletin] = []

    init(feed: BulletinFeed, cache: BulletinCache) {
        self.feed = feed
        self.cache = cache
    }

    /// Number of bulletins that are new since the last time.
    func load() -> Int {
        let known = Set(bulletins.map(\.id))
        let fresh = await feed.latest()
        guard !fresh.isEmpty else {
            bulletins = cache.read()
            return 0
        }
        bulletins = fresh.sorted { $0.date > $1.date }
        cache.write(bulletins)
        return bulletins.filter { !known.contains($0.id) }.count
    }

    func bulletin(for region: String) -> Bulletin? {
        bulletins.first { $0.regions.contains(region) }
    }

    func highestDanger() -> Int {
        bulletins.map(\.danger).max() ?? 0
    }
}
