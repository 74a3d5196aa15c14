internal import Synchronization
internal import TesseraManifest
internal import TesseraNet
internal import TesseraOutput
internal import TesseraState
internal import TesseraSystem
package import TesseraText

/// Selects the images of a ``RunSelection`` while the manifest is read, and notes where those that are new belong.
///
/// A part of the manifest that is a chunk of the last catalog is not even decoded, if no item of the chunk is wanted.
final class EntrySelection: Sendable {
  let wanted: RunSelection
  private let state: StateStore
  /// Makes the keys of parts; nil if each line has to be looked at.
  private let chunks: ChunkReuse?
  private let progress = Mutex(Progress())

  private struct Progress {
    /// The numbers of chunks with named images; nil before they are known.
    var named: Set<Int>?
    /// The first image of each named id that images share, by its content.
    var first: [Identifier: Identifier] = [:]
    /// Named images that the manifest has, and those of them that were forgotten.
    var found: Set<Identifier> = []
    var forgotten: Set<Identifier> = []
    /// Whether the manifest has an image of the host that is named.
    var hasHost = false
    /// What was read last.
    var last = NewPlaces.Before()
    /// The place of a chunk that was skipped since.
    var passed: Int?
    /// What comes before images of the present batch, if they turn out to be new.
    var before: [Identifier: NewPlaces.Before] = [:]
    var places = NewPlaces()
    /// The slots of the items; nil if they are too many to be in memory.
    var slots: [Identifier: Int]? = [:]

    mutating func note(_ slot: Int, of id: String) {
      slots?[Identifier(id)] = slot
      if slots?.count ?? 0 > EntrySelection.mostSlots { slots = nil }
    }

    /// Of named images that share an id, also all but the first are known by their own ids.
    mutating func giveOwnID(
      _ entry: inout ManifestEntry, _ own: (ManifestEntry) -> ManifestEntry
    ) {
      let content = Identifier(entry.content)
      guard first[entry.id, default: content] == content else {
        found.insert(entry.id)
        entry = own(entry)
        return
      }
      first[entry.id] = content
    }
  }

  init(_ wanted: RunSelection, _ state: StateStore, _ chunks: ChunkReuse?) {
    (self.wanted, self.state) = (wanted, state)
    // A host is known of a line only once it is decoded.
    self.chunks = wanted.ids.isEmpty && !wanted.onlyFailed ? nil : chunks
  }

  /// Whether parts of the manifest may be skipped.
  var needsParts: Bool { chunks != nil }

  private static let mostSlots = 10_000

  /// The slots of the run's images; nil if they are looked up.
  var slots: [Identifier: Int]? { progress.withLock(\.slots) }

  /// Where images belong that the catalog may not have.
  var places: NewPlaces { progress.withLock(\.places) }

  // MARK: Parts

  /// The places of chunks that are skipped; nil for each other part.
  func passed(_ parts: [ManifestChunk]) async throws(StateError) -> [Int?] {
    guard let chunks else { return parts.map { _ in nil } }
    // All images of a chunk that stands are `ok`.
    let named = wanted.ids.isEmpty ? [] : try await namedChunks()
    return parts.map { part in
      guard let key = chunks.key(of: part), !named.contains(key.number) else { return nil }
      return chunks.standing(key, isWanted: false)
    }
  }

  private func namedChunks() async throws(StateError) -> Set<Int> {
    if let named = progress.withLock(\.named) { return named }
    let named = Set(try await state.chunkNumbers(of: wanted.ids.texts).compactMap(\.self))
    progress.withLock { $0.named = named }
    return named
  }

  func pass(_ chunk: Int) {
    progress.withLock { $0.passed = chunk }
  }

  /// To be called before the entries of a part: what comes before them.
  func beginPart() {
    guard let chunks, let place = progress.withLock(\.passed) else { return }
    let ids = chunks.parent.lastIDs(ofChunk: place, limit: NewPlaces.Before.most)
    progress.withLock { ($0.last, $0.passed) = (.init(ids: ids, isAll: false), nil) }
  }

  // MARK: Entries

  /// The entries of a part that may be wanted, without lines that can't be used.
  ///
  /// - Parameter own: the entry with an id of its own, if others share its id: an earlier part may have had the first of them.
  func select(
    _ records: [ManifestRecord], own: (ManifestEntry) -> ManifestEntry,
    requestURL: (ManifestEntry) -> String
  ) -> [ManifestRecord] {
    progress.withLock { progress in
      records.compactMap { record in
        guard case .entry(var entry) = record else { return nil }
        defer { progress.last.add(entry.id) }
        let url = { requestURL(entry) }
        if let shared = entry.formerID, wanted.mayHave(shared, requestURL: url) {
          if !wanted.ids.isEmpty { progress.found.insert(shared) }
        } else if wanted.mayHave(entry.id, requestURL: url) {
          if entry.sharesID, !wanted.ids.isEmpty { progress.giveOwnID(&entry, own) }
        } else {
          guard entry.sharesID, wanted.ids.contains(own(entry).id) else { return nil }
          entry = own(entry)
        }
        if !wanted.ids.isEmpty { progress.found.insert(entry.id) }
        progress.hasHost = true
        progress.before[entry.id] = progress.before[entry.id] ?? progress.last
        return .entry(entry)
      }
    }
  }

  /// Whether each of these items is wanted after all.
  func areWanted(_ items: [Item]) async throws(StateError) -> [Bool] {
    let ids = items.map(\.id)
    if wanted.onlyFailed {
      // An image that failed has a line already.
      progress.withLock { $0.before = [:] }
      return try await state.lastStatuses(of: ids).map { $0 == "failed" || $0 == "stale" }
    }
    let isThere = try await state.haveCompletedLines(ids)
    progress.withLock { progress in
      for (id, isThere) in zip(ids, isThere) where isThere { progress.before[id] = nil }
    }
    return items.map { _ in true }
  }

  /// An item has its slot.
  func place(_ id: String, at slot: Int) {
    progress.withLock { progress in
      progress.note(slot, of: id)
      guard let before = progress.before.removeValue(forKey: Identifier(id)) else { return }
      progress.places.add(slot, of: id, after: before)
    }
  }

  func forget(_ id: String) {
    progress.withLock { progress in
      progress.before[id] = nil
      if wanted.ids.contains(id) { progress.forgotten.insert(id) }
    }
  }

  // MARK: The end of the manifest

  /// - Returns: sentences on named images that are left as they are.
  /// - Throws: ``TesseraError`` of the code `unknownImages`.
  func check(_ output: any Output, _ forgotten: ForgottenItems) async throws -> [String] {
    let (found, left) = progress.withLock { ($0.found, $0.forgotten) }
    var missing = wanted.ids.subtracting(found)
    let gone = left.union(missing.filter { forgotten.has(id: $0.text) })
    missing.subtract(gone)
    let inCatalog = missing.isEmpty ? [] : try await CatalogTexts.ids(missing, in: output)
    let unknown = missing.subtracting(inCatalog).texts
    if let first = unknown.first {
      throw TesseraError.unknownImages(
        unknown, near: try await state.ids(near: first, limit: 3).filter { !missing.contains($0) })
    }
    return unknownHost + Self.forgotten(gone.count)
      + inCatalog.texts.map {
        "the manifest no longer has the image \"\($0)\", which stays in the catalog until the next run of all images"
      }
  }

  private var unknownHost: [String] {
    // With ids or failures, parts that are not wanted are not even decoded.
    guard let host = wanted.host, wanted.ids.isEmpty, !wanted.onlyFailed,
      !progress.withLock(\.hasHost)
    else { return [] }
    return [
      "the manifest has no image of the host \"\(host)\"; one with a port needs it, "
        + "as in cdn.example:8080"
    ]
  }

  /// Without their ids: a run writes its warnings into its report, and nothing remains of these images.
  private static func forgotten(_ count: Int) -> [String] {
    guard count > 0 else { return [] }
    return [
      (count == 1
        ? "1 of the named images was forgotten (tessera forget) and stays"
        : "\(count) of the named images were forgotten (tessera forget) and stay")
        + " out of the catalog; to have one again, remove its marks with tessera forget --undo and its id, "
        + "and with its URL (--url) if that was named"
    ]
  }
}

/// Where images belong in the catalog that it may not have yet: behind the image that is before them in the manifest.
struct NewPlaces: Sendable {
  /// The ids before an image, the nearest last.
  struct Before: Sendable {
    var ids: [String] = []
    /// Whether the manifest has no others there.
    var isAll = true

    /// A catalog that has none of these is not of this manifest.
    static let most = 16

    mutating func add(_ id: String) {
      ids.append(id)
      // Not with each of them.
      guard ids.count == 2 * Self.most else { return }
      ids.removeFirst(Self.most)
      isAll = false
    }
  }

  /// Images that follow each other.
  struct Group: Sendable {
    var before: Before
    /// Their slots in the run.
    var slots: Range<Int>
  }

  private(set) var groups: [Group] = []
  private var added: Identifier?

  mutating func add(_ slot: Int, of id: String, after before: Before) {
    if let last = before.ids.last, Identifier(last) == added {
      let first = groups[groups.count - 1].slots.lowerBound
      groups[groups.count - 1].slots = first..<slot + 1
    } else {
      groups.append(Group(before: before, slots: slot..<slot + 1))
    }
    added = Identifier(id)
  }
}

/// The images that a run is for, if it is not one of all (`--only`, `--only-failed`, `--only-host`). An image has to meet
/// everything that is named; all other images keep their entries of the current catalog.
package struct RunSelection: Sendable, Equatable {
  /// Ids; empty for any.
  package var ids: Set<Identifier>
  /// Whether only images that failed or are stale count.
  package var onlyFailed: Bool
  /// The host of the request URL, with its port if the URL has one; nil for any.
  package var host: String?
  /// Whether sources are fetched and files made again, whatever is known of them (`--refresh`).
  package var refreshes: Bool

  /// Nil if nothing is named, so that the run is one of all images.
  package init?(
    ids: [String] = [], onlyFailed: Bool = false, host: String? = nil, refreshes: Bool = false
  ) {
    if ids.isEmpty, !onlyFailed, host == nil { return nil }
    (self.ids, self.onlyFailed, self.refreshes) = (Set<Identifier>(of: ids), onlyFailed, refreshes)
    self.host = host.map(SourceHost.named)
  }

  /// Whether bytes that were rejected are examined again, however sure that is.
  var examinesRejected: Bool { onlyFailed || refreshes }

  /// Whether an entry may be one of them, as far as the manifest says.
  ///
  /// - Parameter requestURL: called if the URL matters.
  func mayHave(_ id: String, requestURL: () -> String) -> Bool {
    guard ids.isEmpty || ids.contains(id) else { return false }
    return host.map { $0 == SourceHost.name(of: requestURL()) } ?? true
  }
}
