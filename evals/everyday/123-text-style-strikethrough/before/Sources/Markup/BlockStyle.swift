/// How a paragraph is set.
public struct BlockStyle: OptionSet, Hashable {
    public let rawValue: UInt8

    public init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    public static let centered = BlockStyle(rawValue: 1 << 0)
    public static let quote = BlockStyle(rawValue: 1 << 1)
    public static let code = BlockStyle(rawValue: 1 << 2)
}
