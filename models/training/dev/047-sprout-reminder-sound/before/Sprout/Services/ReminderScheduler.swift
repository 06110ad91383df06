import UserNotifications

struct ReminderScheduler {
    let center = UNUserNotificationCenter.current()
    var hour = 8

    func schedule(for plant: Plant) async throws {
        let content = UNMutableNotificationContent()
        content.title = "Time to water"
        content.body = "\(plant.name) in the \(plant.room) is thirsty."

        var parts = Calendar.current.dateComponents([.year, .month, .day], from: plant.nextWatering)
        parts.hour = hour
        let trigger = UNCalendarNotificationTrigger(dateMatching: parts, repeats: false)
        let request = UNNotificationRequest(
            identifier: plant.id.uuidString,
            content: content,
            trigger: trigger
        )
        try await center.add(request)
    }
}
