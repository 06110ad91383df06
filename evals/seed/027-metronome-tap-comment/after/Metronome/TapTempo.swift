import Foundation

struct TapTempo {
    // Fewer taps give no useful tempo.
    private let minTaps = 3

    private let maxTaps = 8

    // Older taps would drag the tempo.
    private let maxGap: TimeInterval = 2.5

    private var taps: [TimeInterval] = []

    mutating func tap(at time: TimeInterval) -> Int? {
        if let last = taps.last, time - last > maxGap {
            taps.removeAll()
        }
        taps.append(time)
        if taps.count > maxTaps {
            taps.removeFirst()
        }
        return bpm
    }

    var bpm: Int? {
        guard taps.count >= minTaps, let first = taps.first, let last = taps.last else {
            return nil
        }
        let beat = (last - first) / Double(taps.count - 1)
        return Int((60 / beat).rounded())
    }

    mutating func reset() {
        taps.removeAll()
    }
}
