import Foundation

/// Keeps the points of one dive.
final class ScoreBoard {
    private(set) var points = 0
    private(set) var best = 0
    private var chain = 0

    func catchFish(_ fish: Fish) {
        chain += 1
        points += fish.value + computeBonus(chain: chain)
        if chain == 10 {
            points += computeBonus(chain: 20)
        }
        best = max(best, points)
    }

    func missFish() {
        chain = 0
    }

    /// Called when the player surfaces with air to spare.
    func finish(airLeft: Double) {
        let factor = 1 + airLeft / 100
        points = Int(Double(points) * factor)
        recalcBest()
    }

    /// What the next fish would bring on top of its own value.
    var preview: Int {
        computeBonus(chain: chain + 1)
    }

    private func computeBonus(chain: Int) -> Int {
        switch chain {
        case ..<3: return 0
        case 3..<6: return 5
        default: return chain * 2
        }
    }

    private func recalcBest() {
        best = max(best, points)
        chain = 0
    }
}
