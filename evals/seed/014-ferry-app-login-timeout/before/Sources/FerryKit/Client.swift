import Foundation

struct Client {
    let base: URL
    var token: String?

    func request(for endpoint: Endpoint, body: Data? = nil) -> URLRequest {
        var request = URLRequest(url: base.appendingPathComponent(endpoint.rawValue))
        request.httpMethod = endpoint.method
        request.timeoutInterval = endpoint.timeout
        request.httpBody = body
        request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        if let token {
            request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization")
        }
        return request
    }
}
