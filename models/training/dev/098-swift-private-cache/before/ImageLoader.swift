import UIKit

final class ImageLoader {
    var cache = NSCache<NSURL, UIImage>()
    private let session: URLSession

    init(session: URLSession = .shared) {
        self.session = session
    }

    func image(at url: URL) async throws -> UIImage? {
        if let hit = cache.object(forKey: url as NSURL) {
            return hit
        }
        let (data, _) = try await session.data(from: url)
        guard let image = UIImage(data: data) else { return nil }
        cache.setObject(image, forKey: url as NSURL)
        return image
    }
}
