internal import TesseraBytes
internal import TesseraCatalog
internal import TesseraJSON
package import TesseraSystem

/// The changes of an output, by which an app that has one of the last catalogs gets the current one with a small request:
/// `from-<digest>.json` leads from the catalog of this digest to the current one. That of the current catalog says that nothing
/// has changed.
///
/// They are made of the catalogs that are kept, after the current one was replaced. Without one, an app fetches the whole.
package struct PublishedChanges {
  private let output: any Output

  /// Changes of more than this part of the catalog are not worth their request; small ones always are.
  private static let part = 4
  private static let smallBytes = 1 << 16
  /// Larger ones are not for an app, nor for the memory of a run.
  private static let mostBytes = 16 << 20
  private static let mostImages = 4_000_000

  init(of output: any Output) { self.output = output }

  static func path(from digest: String) -> String { "from-\(digest).json" }

  /// Whether a path is that of changes.
  package static func isOne(_ path: String) -> Bool {
    path.wholeMatch(of: /from-[0-9a-f]{64}\.json/) != nil
  }

  /// Those that an output has, by their paths.
  package static func all(in output: any Output) async throws(SystemError) -> [String] {
    try await output.listIfThere("").map(\.name).filter(isOne)
  }

  /// The digest of the catalog that changes lead to, which is one of their first members; nil if they are missing.
  package static func target(
    of path: String, in output: any Output
  ) async throws(SystemError) -> String? {
    guard try await output.size(of: path) != nil else { return nil }
    let start = String(decoding: try await output.read(path, 256, at: 0), as: UTF8.self)
    return start.firstMatch(of: /"to":"([0-9a-f]{64})"/).map { String($0.1) }
  }

  /// Deletes those that lead to another catalog than the current one, and makes those that lead to it. One that can't be
  /// made leaves the others.
  func write(_ retention: CatalogRetention, _ list: KeptCatalogs?) async throws(SystemError) {
    guard retention.changes > 0 || list?.retention.changes ?? 0 > 0 else { return }
    let current = try await CurrentCatalog(of: output)
    let kept = (list?.others(than: current?.keptPath) ?? []).prefix(retention.changes)
    // First: until the next one is there, an app had better fetch the whole than an old catalog.
    try await deleteOthers(
      than: retention.changes > 0 ? current?.digest : nil, from: kept.map(\.digest))
    if retention.changes > 0, let current { try await write(from: kept, to: current) }
  }

  private func deleteOthers(
    than current: String?, from digests: [String]
  ) async throws(SystemError) {
    let paths = Set((digests + [current].compactMap(\.self)).map(Self.path))
    for path in try await Self.all(in: output) {
      if paths.contains(path), current != nil,
        try await Self.target(of: path, in: output) == current
      {
        continue
      }
      try await output.delete(path)
    }
  }

  private func write(
    from kept: ArraySlice<KeptCatalog>, to current: CurrentCatalog
  ) async throws(SystemError) {
    var failure: SystemError?
    let sources = kept.map { ($0.path, $0.digest, $0.images) }
    for (path, digest, images) in [(CurrentCatalog.path, current.digest, current.images)] + sources
    {
      do throws(SystemError) {
        let target = Self.path(from: digest)
        // Those that are left lead to the current one.
        guard try await output.size(of: target) == nil, images ?? 0 <= Self.mostImages,
          let bytes = try await changes(from: path, digest, to: current)
        else { continue }
        try await output.write(target, bytes)
      } catch {
        // From a kept catalog that was removed by hand, or is damaged, nothing leads to the current one.
        if path != CurrentCatalog.path, error.isMissingFile || error.isDamage { continue }
        failure = failure ?? error
      }
    }
    if let failure { throw failure }
  }

  /// Nil if they are too large.
  private func changes(
    from path: String, _ digest: String, to current: CurrentCatalog
  ) async throws(SystemError) -> [UInt8]? {
    let limit = min(max(Self.smallBytes, current.bytes / Self.part), Self.mostBytes)
    var writer = ChangesWriter()
    var old = CatalogTexts(path, in: output)
    while let line = try await old.next() { writer.addOld(line) }
    var new = CatalogTexts(CurrentCatalog.path, in: output)
    guard try await new.readHead() != nil else { return nil }
    writer.begin(from: digest, to: current.digest, head: new.headText)
    var bytes: [UInt8] = []
    while let line = try await new.next() {
      bytes += writer.addNew(line)
      guard bytes.count <= limit else { return nil }
    }
    bytes += writer.end()
    return bytes.count <= limit ? bytes : nil
  }
}

/// Writes the changes from one catalog to another (``CatalogChanges``). Lines are compared by their digests, so an image that
/// has moved is named and not repeated. Memory grows by 12 bytes with each image of the old catalog.
package struct ChangesWriter: ~Copyable {
  /// The beginnings of the digests of the old lines, in their order.
  private var hashes: [UInt64] = []
  /// Their positions, in the order of these hashes.
  private var order: [Int32] = []
  private var writer = JSONWriter()
  /// The old lines that come next; nil without any.
  private var range: ClosedRange<Int>?
  /// Bytes written so far.
  package private(set) var count = 0

  package init() {}

  /// Adds a line of the old catalog. All of them come first.
  package mutating func addOld(_ line: some Sequence<UInt8>) { hashes.append(Self.hash(line)) }

  private static func hash(_ line: some Sequence<UInt8>) -> UInt64 {
    UInt64(SHA256.of(Array(line)).prefix(16), radix: 16) ?? 0
  }

  /// - Parameters:
  ///   - from: the digest of the old catalog.
  ///   - to: that of the new one.
  ///   - head: of the new one, a JSON object.
  package mutating func begin(from: String, to: String, head: [UInt8]) {
    order = hashes.indices.map { Int32($0) }
    order.sort { (hashes[Int($0)], $0) < (hashes[Int($1)], $1) }
    writer.beginObject()
    writer.member("schema", CatalogChanges.schema)
    writer.member("from", from)
    writer.member("to", to)
    writer.member("head", String(decoding: CatalogDocument.firstLine(of: head), as: UTF8.self))
    writer.name("lines")
    writer.beginArray()
  }

  /// Adds a line of the new catalog.
  ///
  /// - Returns: what has been written since the last call.
  package mutating func addNew(_ line: some Sequence<UInt8>) -> [UInt8] {
    let hash = Self.hash(line)
    if let known = range, known.upperBound + 1 < hashes.count, hashes[known.upperBound + 1] == hash
    {
      range = known.lowerBound...known.upperBound + 1
      return []
    }
    endRange()
    if let position = position(of: hash) {
      range = position...position
    } else {
      writer.value(String(decoding: Array(line), as: UTF8.self))
    }
    return take()
  }

  /// The rest.
  package mutating func end() -> [UInt8] {
    endRange()
    writer.endArray()
    writer.endObject()
    return take() + [UInt8(ascii: "\n")]
  }

  private mutating func endRange() {
    guard let range else { return }
    writer.beginArray()
    writer.value(range.lowerBound)
    writer.value(range.upperBound)
    writer.endArray()
    self.range = nil
  }

  private mutating func take() -> [UInt8] {
    let bytes = writer.take()
    count += bytes.count
    return bytes
  }

  /// Where a line is in the old catalog.
  private func position(of hash: UInt64) -> Int? {
    var (low, high) = (0, order.count)
    while low < high {
      let middle = (low + high) / 2
      if hashes[Int(order[middle])] < hash { low = middle + 1 } else { high = middle }
    }
    guard low < order.count, hashes[Int(order[low])] == hash else { return nil }
    return Int(order[low])
  }
}
