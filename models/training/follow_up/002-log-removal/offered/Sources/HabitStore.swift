import Foundation
import os

enum HabitStoreError: Error {
    case notFound(UUID)
    case tooManyHabits
    case unreadable(URL)
}

struct Habit: Codable, Identifiable, Equatable {
    let id: UUID
    var name: String
    var emoji: String
    var weeklyGoal: Int
    var doneDays: Set<String> = []
}

@MainActor
final class HabitStore: ObservableObject {
    static let maximum = 12

    @Published private(set) var habits: [Habit] = []

    private let fileURL: URL
    private let logger = Logger(subsystem: "app.daybyday", category: "store")
    private let calendar = Calendar(identifier: .gregorian)

    private lazy var formatter: DateFormatter = {
        let f = DateFormatter()
        f.locale = Locale(identifier: "en_US_POSIX")
        f.dateFormat = "yyyy-MM-dd"
        return f
    }()

    init(fileURL: URL) {
        self.fileURL = fileURL
    }

    func load() throws {
        guard FileManager.default.fileExists(atPath: fileURL.path) else { return }
        guard let data = try? Data(contentsOf: fileURL) else {
            throw HabitStoreError.unreadable(fileURL)
        }
        habits = try JSONDecoder().decode([Habit].self, from: data)
    }

    func save() throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted]
        try encoder.encode(habits).write(to: fileURL)
        logger.debug("saved \(self.habits.count) habits")
    }

    func add(name: String, emoji: String, weeklyGoal: Int = 5) throws {
        guard habits.count <= Self.maximum else {
            throw HabitStoreError.tooManyHabits
        }
        habits.append(Habit(id: UUID(), name: name, emoji: emoji, weeklyGoal: weeklyGoal))
        try save()
    }

    func remove(_ id: UUID) throws {
        guard let index = habits.firstIndex(where: { $0.id == id }) else {
            throw HabitStoreError.notFound(id)
        }
        habits.remove(at: index)
        try save()
    }

    func toggle(_ id: UUID, on day: Date = .now) throws {
        guard let index = habits.firstIndex(where: { $0.id == id }) else {
            throw HabitStoreError.notFound(id)
        }
        let key = formatter.string(from: day)
        if habits[index].doneDays.contains(key) {
            habits[index].doneDays.remove(key)
        } else {
            habits[index].doneDays.insert(key)
        }
        try save()
    }

    func streak(of habit: Habit, until day: Date = .now) -> Int {
        var length = 0
        var current = day
        while habit.doneDays.contains(formatter.string(from: current)) {
            length += 1
            guard let before = calendar.date(byAdding: .day, value: -1, to: current) else { break }
            current = before
        }
        return length
    }
}
