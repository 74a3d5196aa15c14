internal import TesseraOutput
internal import TesseraState
internal import TesseraText

/// The lines of the current catalog, with those of some images that a run has processed in their places, and with images
/// that are new. All other lines are copied byte for byte.
struct CurrentLines: CatalogLines {
  private let output: any Output
  private let state: StateStore
  private let run: Int
  /// The positions of the run's images; nil if they are looked up.
  private let positions: [Identifier: Int]?
  /// Images whose lines are not copied.
  private let forgotten: ForgottenItems
  /// New images, by their positions in the run: those before all others, those after another one, and those behind all.
  private var first: [Int] = []
  private var after: [Identifier: [Int]] = [:]
  private var last: [Int] = []
  private(set) var count = 0

  private static let batch = 250
  /// Images of a run whose positions are in memory.
  private static let most = 10_000

  /// - Parameters:
  ///   - run: of `items` images.
  ///   - places: where images belong that the catalog may not have.
  ///   - forgotten: images that a `forget` has left in the catalog because it was killed.
  init(
    of output: any Output, _ state: StateStore, run: Int, items: Int,
    _ places: NewPlaces, without forgotten: ForgottenItems
  ) async throws {
    (self.output, self.state, self.run) = (output, state, run)
    self.forgotten = forgotten
    positions = try await state.positions(in: run, limit: Self.most)
    var isThere = [Bool](repeating: false, count: items)
    let neighbours = Set<Identifier>(of: places.groups.flatMap(\.before.ids))
    var known: Set<Identifier> = []
    try await forEachText { texts in
      count += texts.count
      for (id, position, _) in texts {
        if let position { isThere[position] = true }
        if neighbours.contains(id) { known.insert(id) }
      }
    }
    insert(places, isThere, known)
  }

  /// - Parameters:
  ///   - isThere: whether the catalog has an image, by its position in the run.
  ///   - known: ids before new images that the catalog has.
  private mutating func insert(_ places: NewPlaces, _ isThere: [Bool], _ known: Set<Identifier>) {
    var rest = isThere
    for group in places.groups {
      let new = group.positions.filter { !isThere[$0] }
      guard !new.isEmpty else { continue }
      for position in new { rest[position] = true }
      if let neighbour = group.before.ids.last(where: { known.contains($0) }) {
        after[neighbour, default: []] += new
      } else if group.before.isAll {
        first += new
      } else {
        last += new
      }
      count += new.count
    }
    // The state had them in a catalog that was taken back.
    let others = rest.indices.filter { !rest[$0] }
    last += others
    count += others.count
  }

  func forEachBatch(_ body: ([String]) async throws -> Void) async throws {
    try await body(try await lines(first))
    try await forEachText { texts in
      var lines: [String] = []
      for (id, position, text) in texts {
        if let position {
          lines.append(try await line(position))
        } else {
          lines.append(String(decoding: text, as: UTF8.self))
        }
        if let new = after[id] { lines += try await self.lines(new) }
      }
      try await body(lines)
    }
    try await body(try await lines(last))
  }

  /// The images of the catalog with their positions in the run; nil for those that it does not have.
  private func forEachText(
    _ body: ([(id: String, position: Int?, text: [UInt8])]) async throws -> Void
  ) async throws {
    var texts = CatalogTexts(CurrentCatalog.path, in: output)
    try await texts.forEachBatch(of: Self.batch) { batch in
      let found =
        if let positions { batch.map { positions[$0.id] } } else {
          try await state.positions(of: batch.map(\.id), in: run)
        }
      try await body(
        zip(batch, found).compactMap { image, position in
          guard position != nil || !forgotten.has(line: image.text) else { return nil }
          return (image.id, position, image.text)
        })
    }
  }

  private func lines(_ positions: [Int]) async throws -> [String] {
    var lines: [String] = []
    for position in positions { lines.append(try await line(position)) }
    return lines
  }

  private func line(_ position: Int) async throws -> String {
    let found = try await state.results(of: run, after: position - 1, limit: 1)
    guard let result = found.first, result.position == position else {
      throw StateError(
        kind: .incomplete, path: state.path, message: "an image of this run is missing in it")
    }
    return result.line
  }
}
