internal import TesseraCatalog
internal import TesseraOutput
internal import TesseraState
internal import TesseraSystem
internal import TesseraText

/// The lines of the current catalog, with those of some images that a run has processed in their places, and with images
/// that are new. All other lines are copied byte for byte.
///
/// Their order is that of the catalog: the manifest may have lost images that it shows, and after a rollback it is not the
/// catalog of the last run.
struct CurrentLines: CatalogLines {
  /// Lines that follow each other: of the current catalog, by their bytes, or of images of the run.
  fileprivate enum Piece {
    case copied(Range<Int>)
    case slots(Range<Int>)
  }

  private let lines: RunLines
  private let claims: ChunkClaims
  private let pieces: [Piece]
  /// Where the current catalog has its images, in bytes.
  private let place: Range<Int>
  let count: Int

  private static let batch = 250
  /// Between two lines.
  fileprivate static let separator = Array(",\n".utf8)

  /// - Parameters:
  ///   - selection: of the run, which has `items` images.
  ///   - forgotten: images that a `forget` has left in the catalog because it was killed.
  init(
    of output: any Output, _ runContext: RunContext, _ selection: EntrySelection, items: Int,
    without forgotten: ForgottenItems
  ) async throws {
    (lines, claims) = (runContext.lines, runContext.claims)
    var frame = CatalogFrame(output, runContext, selection, items: items, forgotten)
    place = try await frame.read()
    (pieces, count) = (frame.pieces, frame.count)
  }

  func forEachBatch(_ body: ([[UInt8]]) async throws -> Void) async throws {
    for piece in pieces {
      switch piece {
      case .copied(let range):
        try await lines.parent.forEachBlock(of: range) { bytes, _ in
          try await body(CatalogDocument.lines(bytes).map { Array($0) })
        }
      case .slots(let slots):
        for start in stride(from: slots.lowerBound, to: slots.upperBound, by: Self.batch) {
          let end = min(start + Self.batch, slots.upperBound)
          try await body(try (start..<end).map { try lines.line(inSlot: $0) })
        }
      }
    }
  }

  func write(to draft: inout CatalogDraft) async throws -> ChunkList {
    // What differs, each with what separates it from the next line.
    var edits = [(range: 0..<place.lowerBound, length: draft.offset)]
    var (start, added) = (place.lowerBound, 0)
    func noteEdit(upTo end: Int) throws {
      guard start <= end else { throw CatalogFrame.damaged }
      if start < end || added > 0 { edits.append((start..<end, added)) }
    }
    for piece in pieces {
      switch piece {
      case .slots(let slots):
        for slot in slots {
          let line = try lines.line(inSlot: slot)
          try draft.add(line)
          added += line.count + Self.separator.count
        }
      case .copied(let range):
        try noteEdit(upTo: range.lowerBound)
        (start, added) = (range.upperBound + Self.separator.count, 0)
        try await lines.parent.forEachBlock(of: range) { bytes, _ in
          try draft.add(lines: bytes)
        }
      }
    }
    try noteEdit(upTo: max(start, place.upperBound + Self.separator.count))
    return try lines.parent.index.moved(edits, claims)
  }
}

/// Takes the current catalog apart: chunks in which nothing has changed stay whole, whatever their age, and the others are
/// read line by line.
private struct CatalogFrame {
  /// Reads ids, and names the catalog in errors.
  private let texts: CatalogTexts
  private let state: StateStore
  private let run: Int
  private let parent: ParentLines
  private let claims: ChunkClaims
  private let forgotten: ForgottenItems
  private let places: NewPlaces
  /// The slots of the run's images; nil if they are looked up.
  private let slots: [Identifier: Int]?
  /// Ids before new images.
  private let neighbours: Set<Identifier>
  /// The numbers of their chunks.
  private var named: Set<Int?> = []
  /// Whether the catalog has an image of the run, by its slot.
  private var isThere: [Bool]
  /// How many pieces end with a neighbour.
  private var ends: [Identifier: Int] = [:]
  /// The last of these numbers.
  private var ended = 0
  /// Whether the whole catalog was compared with its digest.
  private var isVerified = false
  private(set) var pieces: [CurrentLines.Piece] = []
  private(set) var count = 0

  init(
    _ output: any Output, _ runContext: RunContext, _ selection: EntrySelection, items: Int,
    _ forgotten: ForgottenItems
  ) {
    (places, slots) = (selection.places, selection.slots)
    self.forgotten = forgotten
    texts = CatalogTexts(CurrentCatalog.path, in: output)
    (state, run, claims, parent) = (
      runContext.state, runContext.run, runContext.claims, runContext.lines.parent
    )
    neighbours = Set<Identifier>(of: places.groups.flatMap(\.before.ids))
    isThere = [Bool](repeating: false, count: items)
  }

  /// - Returns: where the catalog has its images.
  mutating func read() async throws -> Range<Int> {
    let place = try place()
    named = Set(try await state.chunkNumbers(of: neighbours.texts))
    var start = place.lowerBound
    for number in 0..<parent.index.count {
      try Task.checkCancellation()
      guard let chunk = parent.index.chunk(at: number), chunk.offset >= start,
        chunk.range.upperBound <= place.upperBound, let bytes = parent.bytes(of: chunk)
      else { continue }
      try await takeUnknown(start..<chunk.offset)
      if stays(chunk, number, bytes) {
        copy(chunk.range, count: chunk.count)
      } else {
        try await take(bytes, at: chunk.offset)
      }
      start = chunk.range.upperBound + CurrentLines.separator.count
    }
    try await takeUnknown(start..<max(start, place.upperBound))
    insertNew()
    return place
  }

  static var damaged: TesseraError {
    .notOnly(
      "the catalog is damaged; run once without --only, --only-failed and --only-host, which makes it again"
    )
  }

  /// Behind the first line, and before the last one.
  private func place() throws -> Range<Int> {
    let end = parent.size - CatalogDocument.end.count
    guard end > 0, try parent.read(end..<parent.size) == CatalogDocument.end,
      let head = try parent.lengthOfFirstLine(), head <= end
    else { throw Self.damaged }
    return head..<max(head, end - 1)
  }

  private func stays(_ chunk: Chunk, _ number: Int, _ bytes: [UInt8]) -> Bool {
    Verdicts.copies(chunk, isWanted: false, now: 0) && !claims.hasLeft(number)
      && !named.contains(chunk.key.number)
      && (forgotten.isEmpty
        || !CatalogDocument.lines(bytes).contains { forgotten.has(line: Array($0)) })
  }

  /// Takes lines of no chunk: of a catalog that was rolled back, or of images at which another run of some has looked.
  private mutating func takeUnknown(_ range: Range<Int>) async throws {
    if range.isEmpty { return }
    if !isVerified, try !parent.hasStatedDigest() { throw Self.damaged }
    isVerified = true
    try await parent.forEachBlock(of: range) { bytes, start in
      try await take(bytes, at: start)
    }
  }

  private mutating func take(_ bytes: [UInt8], at offset: Int) async throws {
    let lines = CatalogDocument.lines(bytes)
    let ids = try lines.map { try texts.id(of: Array($0)) }
    let found =
      if let slots { ids.map { slots[$0] } } else { try await state.slots(of: ids, in: run) }
    for ((text, id), slot) in zip(zip(lines, ids), found) {
      if let slot {
        isThere[slot] = true
        add(slot..<slot + 1)
      } else if !forgotten.has(line: Array(text)) {
        let start = offset + text.startIndex
        copy(start..<start + text.count, count: 1)
      } else {
        continue
      }
      if neighbours.contains(id) {
        ends[Identifier(id)] = pieces.count
        ended = pieces.count
      }
    }
  }

  private mutating func copy(_ range: Range<Int>, count: Int) {
    self.count += count
    if case .copied(let last)? = pieces.last, ended < pieces.count,
      last.upperBound + CurrentLines.separator.count == range.lowerBound
    {
      pieces[pieces.count - 1] = .copied(last.lowerBound..<range.upperBound)
    } else {
      pieces.append(.copied(range))
    }
  }

  private mutating func add(_ slots: Range<Int>) {
    count += slots.count
    if case .slots(let last)? = pieces.last, ended < pieces.count,
      last.upperBound == slots.lowerBound
    {
      pieces[pieces.count - 1] = .slots(last.lowerBound..<slots.upperBound)
    } else {
      pieces.append(.slots(slots))
    }
  }

  /// Inserts the images that the catalog does not have.
  private mutating func insertNew() {
    var new: [Int: [Int]] = [:]
    for group in places.groups {
      let slots = group.slots.filter { !isThere[$0] }
      if slots.isEmpty { continue }
      for slot in slots { isThere[slot] = true }
      let neighbour = group.before.ids.last { ends[Identifier($0)] != nil }
      let end = neighbour.flatMap { ends[Identifier($0)] }
      new[end ?? (group.before.isAll ? 0 : pieces.count), default: []] += slots
    }
    // The state had them in a catalog that was taken back.
    let others = isThere.indices.filter { !isThere[$0] }
    if !others.isEmpty { new[pieces.count, default: []] += others }
    if new.isEmpty { return }
    let old = pieces
    (pieces, ended) = ([], 0)
    for place in 0...old.count {
      for slot in new[place] ?? [] { add(slot..<slot + 1) }
      if place < old.count { pieces.append(old[place]) }
    }
  }
}
