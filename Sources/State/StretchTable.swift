internal import TesseraText

/// The table `stretches`, and the items in them.
final class StretchTable {
  private let database: Database
  private let selectItem: Statement
  private let selectPlace: Statement
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
    self.database = database
    selectItem = try database.prepare(
      "SELECT stretch, stretches.run, stretches.line + items.line, entry, position, place FROM items"
        + " LEFT JOIN stretches ON stretches.number = stretch WHERE id = ?")
    selectPlace = try database.prepare(
      "SELECT s.number, i.id FROM stretches s INDEXED BY stretches_by_position"
        + " CROSS JOIN items i INDEXED BY items_by_stretch ON i.stretch = s.number"
        + " WHERE s.run = ? AND s.position = ? AND i.place = ?")
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
        let changes = try resetItem.change([
          .bool(request.standing != nil), Self.reasons(request), .text(request.id),
          .int(known.number), .int(place),
        ])
        guard changes == 1 else { throw damaged }
      }
      left = nil
      return (requests.map { _ in .new }, known)
    }
    // Before its items, so that this run is seen to have them.
    let number =
      try insert.first([.int(run), .int(position), .int(line)]) { $0.int(0) } ?? 0
    var (claims, sum) = ([StateStore.Claim](), StretchSum())
    for request in requests {
      let place = sum.count
      var id = request.id
      var answer = try claim(
        request, number, place, line: line, run: run, position: position + place)
      if case .conflict = answer, let other = request.alternative {
        id = other.id
        answer = try claim(
          StateStore.ClaimRequest(id: id, line: request.line, entry: other.entry), number, place,
          line: line, run: run, position: position + place)
        if answer == .new { answer = .alternative }
      }
      claims.append(answer)
      if answer == .new || answer == .alternative { sum.add(id) }
    }
    if sum.count == 0 {
      try remove.run([.int(number)])
    } else {
      // Only as a whole it is what its key says. An alternative depends on lines before it.
      let key = sum.count == requests.count && !claims.contains(.alternative) ? key : nil
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
  ///   - position: the first that the run has not given to any item.
  private func claim(
    _ request: StateStore.ClaimRequest, _ number: Int, _ place: Int, line: Int, run: Int,
    position: Int
  ) throws(StateError) -> StateStore.Claim {
    let entry = Self.short(request.entry)
    let found = try selectItem.first([.text(request.id)]) { row in
      Found(
        stretch: row.int(0), run: row.optionalInt(1), line: row.int(2), entry: row.int(3),
        position: row.int(4), place: row.int(5))
    }
    if let found, found.run == run {
      guard try isClaimed(request.id, found, run: run, before: position) else { throw damaged }
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

  private var damaged: StateError {
    StateError(
      kind: .incomplete, path: database.path,
      message: "an item belongs to a run that has not had it")
  }

  /// What the row of an item says.
  private struct Found {
    var stretch: Int
    var run: Int?
    var line: Int
    var entry: Int
    var position: Int
    var place: Int
  }

  /// Whether a run has had an item, as its row says. A damaged row would drop an image as a repeated one. The indexes have
  /// another copy of what it says, and a run gives each position to one item.
  private func isClaimed(
    _ id: String, _ found: Found, run: Int, before position: Int
  ) throws(StateError) -> Bool {
    guard found.position + found.place < position else { return false }
    var there: [(stretch: Int, id: String)] = []
    try selectPlace.run([.int(run), .int(found.position), .int(found.place)]) { row in
      there.append((row.int(0), row.text(1)))
    }
    return there.count == 1 && there[0].stretch == found.stretch && there[0].id.isSame(as: id)
  }

  private static func reasons(_ request: StateStore.ClaimRequest) -> Statement.Value {
    .optional(request.standing.map { Reason.stored([$0]) })
  }

  /// What is stored of a digest that only tells two lines of one manifest apart.
  static func short(_ entry: String) -> Int { RecordMark.of(entry, []) }
}
