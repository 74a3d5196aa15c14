/// Notices that most of what comes back is an error: a name server that is down, a token that has expired. Then
/// the fault is not the items', and it is better to stop and say so than to burn the manifest.
struct FailureWatch {
  /// So many of the last items count; fewer than `fewest` say nothing.
  static let window = 200
  static let fewest = 100

  /// Per cent of the window that may fail.
  private let limit: Double
  /// What became of the last items, the oldest at `next`: the code of an error, or nil.
  private var last: [String?] = []
  private var next = 0
  private var hasSucceeded = false

  /// - Parameter limit: in per cent; at 100 nothing stops.
  init(limit: Double) { self.limit = limit }

  /// Takes what became of an item. A diagnosis, without its full stop, where too much has failed.
  ///
  /// - Parameter isOfDeadHost: whether it was not even tried, since its host is given up. All items of such a host
  ///   fail at once, which says nothing about the others; only where none ever went well it does.
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
    guard let error, last.count >= Self.fewest,
      Double(failed.count) * 100 > limit * Double(last.count)
    else { return nil }
    let counts = Dictionary(grouping: failed, by: \.self).mapValues(\.count)
      .sorted { ($1.value, $0.key) < ($0.value, $1.key) }
    let parts = counts.prefix(3).map { "\($0.value) \($0.key)" }.joined(separator: ", ")
    let percent = limit == limit.rounded() ? "\(Int(limit))" : "\(limit)"
    return
      "\(failed.count) of the last \(last.count) pictures failed, which is more than fail-above: "
      + "\(percent)% (\(parts)); the last one: \(error.message) The last good catalog stands"
  }
}
