internal import TesseraOutput
internal import TesseraState
internal import TesseraText

/// The lines of the current catalog, with those of some images that a run has processed in their places, and with images
/// that are new. All other lines are copied byte for byte.
struct CurrentLines: CatalogLines {
  private let output: any Output
  private let state: StateStore
  private let run: Int
  private let lines: RunLines
  private let claims: ChunkClaims
  /// The slots of the run's images; nil if they are looked up.
  private let slots: [Identifier: Int]?
  /// Images whose lines are not copied.
  private let forgotten: ForgottenItems
  /// New images, by their slots: those before all others, those after another one, and those behind all.
  private var first: [Int] = []
  private var after: [Identifier: [Int]] = [:]
  private var last: [Int] = []
  private(set) var count = 0

  private static let batch = 250

  /// - Parameters:
  ///   - selection: of the run, which has `items` images.
  ///   - forgotten: images that a `forget` has left in the catalog because it was killed.
  init(
    of output: any Output, _ parts: RunParts, _ selection: EntrySelection, items: Int,
    without forgotten: ForgottenItems
  ) async throws {
    (self.output, state, run) = (output, parts.state, parts.run)
    (lines, claims) = (parts.lines, parts.claims)
    self.forgotten = forgotten
    slots = selection.slots
    let places = selection.places
    var isThere = [Bool](repeating: false, count: items)
    let neighbours = Set<Identifier>(of: places.groups.flatMap(\.before.ids))
    var known: Set<Identifier> = []
    try await forEachText { text in
      if text.isForgotten { return }
      count += 1
      if let slot = text.slot { isThere[slot] = true }
      if neighbours.contains(text.id) { known.insert(text.id) }
    }
    insert(places, isThere, known)
  }

  /// - Parameters:
  ///   - isThere: whether the catalog has an image, by its slot.
  ///   - known: ids before new images that the catalog has.
  private mutating func insert(_ places: NewPlaces, _ isThere: [Bool], _ known: Set<Identifier>) {
    var rest = isThere
    for group in places.groups {
      let new = group.slots.filter { !isThere[$0] }
      guard !new.isEmpty else { continue }
      for slot in new { rest[slot] = true }
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

  /// A change of the catalog: some lines, in the place of those at a range of bytes.
  private struct Change {
    var lines: [[UInt8]]
    var range: Range<Int>
    /// Whether the lines are others.
    var isOther: Bool
  }

  /// All lines in their order, and what each of the catalog has become.
  private func forEachChange(_ body: (Change) async throws -> Void) async throws {
    var end = 0
    func add(_ slots: [Int], at place: Int) async throws {
      for slot in slots {
        try await body(
          Change(lines: [try lines.line(inSlot: slot)], range: place..<place, isOther: true))
      }
    }
    var isFirst = true
    try await forEachText { text in
      if isFirst { try await add(first, at: text.range.lowerBound) }
      isFirst = false
      end = text.range.upperBound
      if let slot = text.slot {
        try await body(
          Change(lines: [try lines.line(inSlot: slot)], range: text.range, isOther: true))
      } else if text.isForgotten {
        try await body(Change(lines: [], range: text.range, isOther: true))
      } else {
        try await body(Change(lines: [text.bytes], range: text.range, isOther: false))
      }
      try await add(after[Identifier(text.id)] ?? [], at: end)
    }
    if isFirst { try await add(first, at: end) }
    try await add(last, at: end)
  }

  func forEachBatch(_ body: ([[UInt8]]) async throws -> Void) async throws {
    var batch: [[UInt8]] = []
    try await forEachChange { change in
      batch += change.lines
      guard batch.count >= Self.batch else { return }
      try await body(batch)
      batch.removeAll(keepingCapacity: true)
    }
    try await body(batch)
  }

  func write(to draft: inout CatalogDraft) async throws -> ChunkList {
    var edits: [(range: Range<Int>, length: Int)] = []
    var isFirst = true
    try await forEachChange { change in
      if isFirst { edits.append((0..<change.range.lowerBound, draft.offset)) }
      isFirst = false
      for line in change.lines { try draft.add(line) }
      guard change.isOther else { return }
      // Each with what separates it from the next.
      let removed = change.range.isEmpty ? 0 : 2
      edits.append(
        (
          change.range.lowerBound..<change.range.upperBound + removed,
          change.lines.reduce(0) { $0 + $1.count + 2 }
        ))
    }
    return try lines.parent.index.moved(edits, claims)
  }

  private struct Text {
    var id: String
    var bytes: [UInt8]
    var range: Range<Int>
    /// Of an image of the run.
    var slot: Int?
    var isForgotten = false
  }

  private func forEachText(_ body: (Text) async throws -> Void) async throws {
    var texts = CatalogTexts(CurrentCatalog.path, in: output)
    try await texts.forEachBatch(of: Self.batch) { batch in
      let found =
        if let slots { batch.map { slots[$0.id] } } else {
          try await state.slots(of: batch.map(\.id), in: run)
        }
      for (image, slot) in zip(batch, found) {
        var text = Text(
          id: image.id, bytes: image.text,
          range: image.offset..<image.offset + image.text.count, slot: slot)
        text.isForgotten = slot == nil && forgotten.has(line: image.text)
        try await body(text)
      }
    }
  }
}
