/// A run of text in one style.
public struct Span: Hashable {
    public var text: String
    public var style: TextStyle

    public init(_ text: String, style: TextStyle = []) {
        self.text = text
        self.style = style
    }

    public var isPlain: Bool {
        style.isEmpty
    }
}
