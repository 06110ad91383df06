import Foundation

final class Stopwatch {
    private(set) var elapsed: TimeInterval = 0
    private var timer: Timer?
    var onTick: ((TimeInterval) -> Void)?

    func start() {
        timer = Timer.scheduledTimer(withTimeInterval: 0.1, repeats: true) { _ in
            self.tick()
        }
    }

    func stop() {
        timer?.invalidate()
        timer = nil
    }

    private func tick() {
        elapsed += 0.1
        onTick?(elapsed)
    }
}
