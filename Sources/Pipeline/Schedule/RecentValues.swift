/// Keeps the values that were set or looked up last, in bounded memory: in two generations, of which the
/// older is dropped as a whole when the younger is full.
package struct RecentValues<Value> {
  private let limit: Int
  private var younger: [String: Value] = [:]
  private var older: [String: Value] = [:]

  /// - Parameter count: values that are kept at least; at most twice as many are.
  package init(atLeast count: Int) { limit = count }

  package subscript(key: String) -> Value? {
    mutating get {
      if let value = younger[key] { return value }
      guard let value = older[key] else { return nil }
      self[key] = value
      return value
    }
    set {
      if younger.count >= limit, younger[key] == nil { (older, younger) = (younger, [:]) }
      younger[key] = newValue
    }
  }
}
