import Foundation

enum APIError: Error {
    case badStatus(Int)
    case offline
    case unknownStop(String)
}

struct Departure: Decodable {
    let line: String
    let direction: String
    let minutes: Int
}

struct CachedAnswer {
    let data: Data
    let received: Date
}

/// Talks to the server of the tram company.
final class APIClient {
    private let baseURL: URL
    private let session: URLSession
    private let timeout: TimeInterval
    private let cacheTime: TimeInterval
    private var cache: [URL: CachedAnswer] = [:]

    init(
        baseURL: URL,
        session: URLSession = .shared,
        timeout: TimeInterval = 30,
        cacheTime: TimeInterval = 30
    ) {
        self.baseURL = baseURL
        self.session = session
        self.timeout = timeout
        self.cacheTime = cacheTime
    }

    func departures(stop: String, limit: Int = 30) async throws -> [Departure] {
        guard let name = stop.addingPercentEncoding(withAllowedCharacters: .urlPathAllowed) else {
            throw APIError.unknownStop(stop)
        }
        let url = baseURL.appendingPathComponent("stops/\(name)/departures")
        let data = try await get(url)
        let all = try JSONDecoder().decode([Departure].self, from: data)
        return Array(all.prefix(limit))
    }

    func isReachable(timeout: TimeInterval = 5) async -> Bool {
        var request = URLRequest(url: baseURL, timeoutInterval: timeout)
        request.httpMethod = "HEAD"
        return (try? await session.data(for: request)) != nil
    }

    private func get(_ url: URL) async throws -> Data {
        if let answer = cache[url], -answer.received.timeIntervalSinceNow < cacheTime {
            return answer.data
        }
        let request = URLRequest(url: url, timeoutInterval: timeout)
        let (data, response) = try await session.data(for: request)
        let status = (response as? HTTPURLResponse)?.statusCode ?? 0
        guard (200..<300).contains(status) else {
            throw APIError.badStatus(status)
        }
        cache[url] = CachedAnswer(data: data, received: Date())
        return data
    }
}
