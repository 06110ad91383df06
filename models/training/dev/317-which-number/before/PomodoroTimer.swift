import Foundation

final class PomodoroTimer {
    var workMinutes = 25
    var breakMinutes = 5
    var longBreakMinutes = 15
    private var rounds = 0

    func next() -> Int {
        rounds += 1
        return rounds % 4 == 0 ? longBreakMinutes : breakMinutes
    }
}
