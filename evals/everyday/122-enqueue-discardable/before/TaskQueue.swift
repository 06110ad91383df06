import Foundation

/// Runs blocks one after the other.
public final class TaskQueue {
    public typealias Token = Int

    private var waiting: [(token: Token, work: () -> Void)] = []
    private var next: Token = 1
    private let lock = NSLock()

    public init() {}

    /// Adds a block at the end; the token can be used to cancel it.
    public func enqueue(_ work: @escaping () -> Void) -> Token {
        lock.lock()
        defer { lock.unlock() }
        let token = next
        next += 1
        waiting.append((token, work))
        return token
    }

    /// Removes a block that has not started; false if there is none.
    @discardableResult
    public func cancel(_ token: Token) -> Bool {
        lock.lock()
        defer { lock.unlock() }
        let count = waiting.count
        waiting.removeAll { $0.token == token }
        return waiting.count < count
    }

    /// Runs the first block; false if there was nothing to do.
    public func runNext() -> Bool {
        lock.lock()
        let first = waiting.isEmpty ? nil : waiting.removeFirst()
        lock.unlock()
        first?.work()
        return first != nil
    }
}
