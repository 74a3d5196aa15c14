/// The table `stretches`, and the items in them.
final class StretchTable {
  private let selectItem: Statement
  private let insertItem: Statement
  private let moveItem: Statement
  private let resetItem: Statement
  private let select: Statement
  private let insert: Statement
  private let complete: Statement
  private let remove: Statement
  private let keep: Statement
  private let reclaim: Statement
  private let forgetKey: Statement
  /// The last one that an item has left: its neighbours most often leave the same.
  private var left: Int?

  init(_ database: Database) throws(StateError) {
    selectItem = try database.prepare(
      "SELECT stretch, stretches.run, stretches.line + items.line, entry FROM items"
        + " LEFT JOIN stretches ON stretches.number = stretch WHERE id = ?")
    insertItem = try database.prepare(
      "INSERT INTO items (id, stretch, place, line, entry, done, reason) VALUES (?, ?, ?, ?, ?, ?, ?)"
    )
    moveItem = try database.prepare(
      "UPDATE items SET stretch = ?2, place = ?3, line = ?4, entry = ?5, done = ?6, reason = ?7"
        + " WHERE id = ?1")
    resetItem = try database.prepare(
      "UPDATE items SET done = ?1, reason = ?2 WHERE id = ?3 AND stretch = ?4 AND place = ?5")
    select = try database.prepare(
      "SELECT number, items, sum FROM stretches WHERE key = ? AND run <> ?")
    insert = try database.prepare(
      "INSERT INTO stretches (run, position, line, stood) VALUES (?, ?, ?, 0) RETURNING number")
    complete = try database.prepare(
      "UPDATE stretches SET key = ?, items = ?, sum = ? WHERE number = ?")
    remove = try database.prepare("DELETE FROM stretches WHERE number = ?")
    keep = try database.prepare(
      "UPDATE stretches SET run = ?1, position = ?2, line = ?3, stood = 1"
        + " WHERE number = ?4 AND run <> ?1 AND mark IS NOT NULL")
    reclaim = try database.prepare(
      "UPDATE stretches SET run = ?1, position = ?2, line = ?3, stood = 0, mark = NULL"
        + " WHERE number = ?4")
    forgetKey = try database.prepare(
      "UPDATE stretches SET key = NULL, mark = NULL WHERE number = ? AND key IS NOT NULL")
  }

  /// Gives a stretch that stands its position in a run. Returns false if it does not stand any more.
  func claim(
    _ number: Int, run: Int, position: Int, line: Int
  ) throws(StateError) -> Bool {
    try keep.change([.int(run), .int(position), .int(line), .int(number)]) > 0
  }

  /// Claims items, which become a stretch, unless they are one.
  func claim(
    _ requests: [StateStore.ClaimRequest], key: String?, line: Int, run: Int, position: Int
  ) throws(StateError) -> (claims: [StateStore.Claim], stretch: StateStore.Stretch) {
    if let key, let known = try known(key, requests, run: run) {
      try reclaim.run([.int(run), .int(position), .int(line), .int(known.number)])
      for (place, request) in requests.enumerated() {
        try resetItem.run([
          .bool(request.standing != nil), Self.reasons(request), .text(request.id),
          .int(known.number), .int(place),
        ])
      }
      left = nil
      return (requests.map { _ in .new }, known)
    }
    // Before its items, so that this run is seen to have them.
    let number =
      try insert.first([.int(run), .int(position), .int(line)]) { $0.int(0) } ?? 0
    var (claims, sum) = ([StateStore.Claim](), StretchSum())
    for request in requests {
      claims.append(try claim(request, number, sum.count, line: line, run: run))
      if claims.last == .new { sum.add(request.id) }
    }
    if sum.count == 0 {
      try remove.run([.int(number)])
    } else {
      // Only as a whole it is what its key says.
      let key = sum.count == requests.count ? key : nil
      try complete.run([.optional(key: key), .int(sum.count), .int(sum.sum), .int(number)])
    }
    return (claims, StateStore.Stretch(number: number, sum: sum))
  }

  /// The stretch of an earlier run that consists of these items; nil if there is none.
  private func known(
    _ key: String, _ requests: [StateStore.ClaimRequest], run: Int
  ) throws(StateError) -> StateStore.Stretch? {
    let found = try select.first([.key(key), .int(run)]) { row in
      StateStore.Stretch(
        number: row.int(0), sum: StretchSum(count: row.int(1), sum: row.int(2)))
    }
    guard let found else { return nil }
    var sum = StretchSum()
    for request in requests { sum.add(request.id) }
    if found.sum == sum { return found }
    try forgetKey.run([.int(found.number)])
    return nil
  }

  /// - Parameters:
  ///   - number: of the stretch.
  ///   - place: in it, if it is new.
  ///   - line: the first of the stretch.
  private func claim(
    _ request: StateStore.ClaimRequest, _ number: Int, _ place: Int, line: Int, run: Int
  ) throws(StateError) -> StateStore.Claim {
    let entry = Self.short(request.entry)
    let found = try selectItem.first([.text(request.id)]) { row in
      (stretch: row.int(0), run: row.optionalInt(1), line: row.int(2), entry: row.int(3))
    }
    if let found, found.run == run {
      return found.entry == entry ? .repeated : .conflict(line: found.line)
    }
    if let found, left != found.stretch {
      try forgetKey.run([.int(found.stretch)])
      left = found.stretch
    }
    try (found == nil ? insertItem : moveItem).run([
      .text(request.id), .int(number), .int(place), .int(request.line - line), .int(entry),
      .bool(request.standing != nil), Self.reasons(request),
    ])
    return .new
  }

  private static func reasons(_ request: StateStore.ClaimRequest) -> Statement.Value {
    .optional(request.standing.map { Reason.stored([$0]) })
  }

  /// What is stored of a digest that only tells two lines of one manifest apart.
  static func short(_ entry: String) -> Int { RecordMark.of(entry, []) }
}
