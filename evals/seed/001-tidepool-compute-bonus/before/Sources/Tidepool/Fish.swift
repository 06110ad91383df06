import Foundation

struct Fish: Equatable {
    enum Kind: String, CaseIterable {
        case goby, wrasse, blenny, moray
    }

    let kind: Kind
    var position: CGPoint
    var speed: Double

    var value: Int {
        switch kind {
        case .goby: return 2
        case .wrasse: return 4
        case .blenny: return 5
        case .moray: return 15
        }
    }
}
