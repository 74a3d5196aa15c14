/// Notices that most results are errors: a name server is down, a token has expired. Then the fault is
/// not the items', and a run that stops and says so is better than one that fails the whole manifest.
struct FailureWatch {
  /// The number of last items that count. Fewer than `fewest` mean nothing.
  static let window = 200
  static let fewest = 100

  /// The share of the window that may fail, in per cent.
  private let limit: Double
  /// The results of the last items, the oldest at `next`: the code of an error, or nil.
  private var last: [String?] = []
  private var next = 0
  private var hasSucceeded = false

  /// - Parameter limit: in per cent; at 100 a run is never stopped.
  init(limit: Double) { self.limit = limit }

  /// Takes the result of an item. Returns a diagnosis, without its full stop, if too much has failed.
  ///
  /// - Parameter isOfDeadHost: whether no request was made, because the host's circuit breaker is open. All
  ///   items of such a host fail at once, which says nothing about others, unless no item ever succeeded.
  mutating func diagnosis(
    after error: (code: String, message: String)?, isOfDeadHost: Bool = false
  ) -> String? {
    if error == nil { hasSucceeded = true }
    if isOfDeadHost, hasSucceeded { return nil }
    if last.count < Self.window {
      last.append(error?.code)
    } else {
      last[next] = error?.code
      next = (next + 1) % Self.window
    }
    let failed = last.compactMap(\.self)
    // At the start of a run a few failures are a large share.
    guard let error, last.count >= Self.fewest,
      Double(failed.count) * 100 > limit * Double(last.count)
    else { return nil }
    let counts = Dictionary(grouping: failed, by: \.self).mapValues(\.count)
      .sorted { ($1.value, $0.key) < ($0.value, $1.key) }
    let parts = counts.prefix(3).map { "\($0.value) \($0.key)" }.joined(separator: ", ")
    let percent = limit == limit.rounded() ? "\(Int(limit))" : "\(limit)"
    return
      "\(failed.count) of the last \(last.count) images failed, which is more than fail-above: "
      + "\(percent)% (\(parts)); the last one: \(error.message) The last good catalog stands"
  }
}
