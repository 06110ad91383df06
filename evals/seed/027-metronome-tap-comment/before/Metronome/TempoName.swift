enum TempoName {
    static func name(for bpm: Int) -> String {
        switch bpm {
        case ..<60: return "largo"
        case 60..<76: return "adagio"
        case 76..<108: return "andante"
        case 108..<120: return "moderato"
        case 120..<168: return "allegro"
        default: return "presto"
        }
    }
}
