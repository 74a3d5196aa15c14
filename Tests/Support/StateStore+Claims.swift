package import TesseraState

extension StateStore {
  /// Claims items that belong to no part of a manifest.
  package func claim(
    _ requests: [ClaimRequest], key: String? = nil, run: Int, position: Int
  ) throws -> [Claim] {
    let claims = try claim(
      [.items(requests, key: key, line: 0)], run: run, position: position)
    guard case .items(let answers, _)? = claims.first else { return [] }
    return answers
  }
}

extension ClaimSum {
  /// Adds items that were claimed together.
  package mutating func add(_ ids: [String], at position: Int = 0) {
    for start in stride(from: 0, to: ids.count, by: StretchSum.most) {
      var stretch = StretchSum()
      for id in ids[start...].prefix(StretchSum.most) { stretch.add(id) }
      add(stretch, at: position + start)
    }
  }
}
