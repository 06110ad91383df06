/// Turns spans into HTML.
public struct HTMLWriter {
    public init() {}

    public func html(_ span: Span) -> String {
        var result = escape(span.text)
        if span.style.contains(.bold) {
            result = "<b>\(result)</b>"
        }
        if span.style.contains(.italic) {
            result = "<i>\(result)</i>"
        }
        if span.style.contains(.underline) {
            result = "<u>\(result)</u>"
        }
        return result
    }

    private func escape(_ text: String) -> String {
        text.map { $0 == "<" ? "&lt;" : $0 == "&" ? "&amp;" : String($0) }.joined()
    }
}
