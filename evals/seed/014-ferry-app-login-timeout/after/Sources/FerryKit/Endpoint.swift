import Foundation

/// The calls the app makes to the booking server.
enum Endpoint: String, CaseIterable {
    case signIn = "/v2/session"
    case timetable = "/v2/timetable"
    case booking = "/v2/bookings"
    case ticket = "/v2/tickets"

    var method: String {
        switch self {
        case .signIn, .booking: return "POST"
        case .timetable, .ticket: return "GET"
        }
    }

    /// Seconds until we give up.
    var timeout: TimeInterval {
        switch self {
        case .signIn: return 20
        case .timetable: return 10
        case .booking: return 30
        case .ticket: return 15
        }
    }

    /// How often a failed call is repeated.
    var retries: Int {
        switch self {
        case .timetable: return 3
        case .ticket: return 2
        case .signIn, .booking: return 0
        }
    }
}
