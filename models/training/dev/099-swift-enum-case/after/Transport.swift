enum Transport: String, CaseIterable {
    case walk
    case bike
    case bus
    case tram
    case train

    /// Grams of CO2 per kilometre.
    var emissions: Int {
        switch self {
        case .walk, .bike: return 0
        case .train: return 33
        default: return 90
        }
    }
}
