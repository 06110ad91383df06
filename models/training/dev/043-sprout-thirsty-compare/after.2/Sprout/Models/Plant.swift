import Foundation

struct Plant: Identifiable, Codable, Equatable {
    let id: UUID
    var name: String
    var room: String
    var intervalDays: Int
    var lastWatered: Date?

    var nextWatering: Date {
        guard let last = lastWatered else { return .distantPast }
        return Calendar.current.date(byAdding: .day, value: intervalDays, to: last)!
    }

    func isThirsty(on date: Date = Date()) -> Bool {
        date >= nextWatering
    }
}
