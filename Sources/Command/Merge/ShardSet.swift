internal import TesseraOutput
internal import TesseraSystem

/// The results of all shards of one run, which are in one output or in several.
struct ShardSet {
  typealias Result = (header: ShardHeader, output: any Output)

  /// In the order of the shards.
  private(set) var results: [Result] = []

  /// In bytes, for all shards together.
  private static let buffers = 64 << 20

  /// - Parameter count: the number of shards; nil if the outputs have those of one number only.
  /// - Throws: ``TesseraError`` that names what is missing, or does not belong to the others.
  init(in outputs: [any Output], count: Int?) async throws {
    let count: Int = if let count { count } else { try await Self.onlyCount(in: outputs) }
    var missing: [Int] = []
    for shard in 0..<count {
      guard let result = try await Self.result(of: shard, of: count, in: outputs) else {
        missing.append(shard)
        continue
      }
      if let first = results.first { try Self.check(result.header, with: first.header) }
      results.append(result)
    }
    guard missing.isEmpty else {
      let shown = missing.prefix(20).map { "\($0)/\(count)" }.joined(separator: ", ")
      throw TesseraError(
        .output,
        "\(missing.count) of \(count) shards have no result: \(shown)"
          + (missing.count > 20 ? " and others" : "") + "; run them (run --shard), then merge again"
      )
    }
  }

  private static func onlyCount(in outputs: [any Output]) async throws -> Int {
    var counts: Set<Int> = []
    for output in outputs {
      // An output without the folder has no shards.
      let entries = (try? await output.list(ShardHeader.folder)) ?? []
      for case let entry in entries where entry.kind == .folder {
        let isEmpty = try await output.list("\(ShardHeader.folder)/\(entry.name)").isEmpty
        if let count = Int(entry.name), count > 0, !isEmpty { counts.insert(count) }
      }
    }
    guard let count = counts.first else {
      let places = outputs.map { "\"\($0.location)\"" }.joined(separator: ", ")
      throw TesseraError(
        .output,
        "\(places) \(outputs.count == 1 ? "has" : "have") no results of shards (\(ShardHeader.folder)/N/I.jsonl)",
        remedy: "make them with run --shard I/N")
    }
    guard counts.count == 1 else {
      throw TesseraError(
        .output,
        "there are results of \(counts.sorted().map(String.init).joined(separator: ", and of ")) shards",
        remedy: "say with --shards which to merge, and delete the others' folder")
    }
    return count
  }

  private static func result(
    of shard: Int, of count: Int, in outputs: [any Output]
  ) async throws -> Result? {
    let path = ShardHeader.path(shard, of: count)
    var found: Result?
    for output in outputs {
      let header: ShardHeader?
      do throws(SystemError) {
        header = try await ShardHeader.read(path, in: output)
      } catch {
        guard error.isMissingFile else { throw error }
        continue
      }
      guard let header, header.shard == shard, header.shards == count else {
        throw TesseraError(
          .output,
          "\"\(FileSystem.join(output.location, path))\" is not the result of shard \(shard)/\(count)",
          remedy: "run it again")
      }
      // A shard that ran twice has two results, which are equally good.
      if let (other, _) = found { try check(header, with: other) } else { found = (header, output) }
    }
    return found
  }

  /// Lines of two runs must not be mixed: half a manifest and half of another are neither.
  private static func check(
    _ header: ShardHeader, with first: ShardHeader
  ) throws {
    func reject(_ what: String, _ one: String, _ other: String) throws {
      guard one != other else { return }
      throw TesseraError(
        .output,
        "shard \(header.shard)/\(header.shards) was made with another \(what) than shard \(first.shard)/\(first.shards) (\(one.prefix(16)), \(other.prefix(16)))",
        remedy: "run them again with the same one")
    }
    try reject("version of libvips", header.libvips, first.libvips)
    try reject("manifest", header.manifest, first.manifest)
    try reject("pipeline file or version of tessera", header.pipeline, first.pipeline)
    try reject("catalog head", header.head, first.head)
  }

  /// Calls `body` with each image, in the order of the manifest.
  ///
  /// - Parameter gate: through which the images come.
  func forEachImage(
    through gate: LineGate, _ body: (LineHeap.Entry) async throws -> Void
  ) async throws {
    let part = min(max(Self.buffers / max(results.count, 1), 4 << 10), 256 << 10)
    var shards: [ShardLines] = []
    for result in results {
      let path = ShardHeader.path(result.header.shard, of: result.header.shards)
      try await shards.append(ShardLines(result.header, path, in: result.output, part: part))
    }
    var heap = LineHeap()
    for shard in shards.indices {
      if let next = try await shards[shard].nextEntry(of: shard) { heap.add(next) }
    }
    while let first = heap.first {
      try Task.checkCancellation()
      if gate.admits(first.image) { try await body(first) }
      if let next = try await shards[first.shard].nextEntry(of: first.shard) {
        heap.replaceFirst(next)
      } else {
        heap.removeFirst()
      }
    }
  }
}

extension ShardLines {
  fileprivate mutating func nextEntry(of shard: Int) async throws -> LineHeap
    .Entry?
  {
    try await next().map {
      LineHeap.Entry(line: $0.line, image: $0.image, sha256: $0.sha256, shard: shard)
    }
  }
}

/// The images in a shard's result, one at a time, in the order of the manifest.
struct ShardLines {
  let header: ShardHeader
  private let path: String
  private let output: any Output
  private let part: Int
  private var buffer: [UInt8] = []
  private var start = 0
  private var offset = 0
  private var count = 0

  /// - Parameter part: how much is read at a time, in bytes.
  init(
    _ header: ShardHeader, _ path: String, in output: any Output, part: Int
  ) async throws {
    self.header = header
    self.path = path
    self.output = output
    self.part = part
    // It may have been replaced since its header was read.
    guard let first = try await nextLine(), ShardHeader(line: Array(first)) == header else {
      throw damaged
    }
  }

  /// The result at a path.
  init(_ path: String, in output: any Output) async throws {
    let header = try await ShardHeader.read(path, in: output)
    guard let header else {
      throw TesseraError(
        .output, "\"\(FileSystem.join(output.location, path))\" is not the result of a shard",
        remedy: "remove it, or run the shard again")
    }
    try await self.init(header, path, in: output, part: 256 << 10)
  }

  /// The next image; nil after the last.
  mutating func nextImage() async throws -> CatalogLine? {
    guard let next = try await next() else { return nil }
    guard let value = CatalogLine(next.image) else { throw damaged }
    return value
  }

  /// The line of an image in the manifest, its line of the catalog, and SHA-256 of its files; nil after the last.
  mutating func next() async throws -> (
    line: Int, image: ArraySlice<UInt8>, sha256: [String]
  )? {
    guard let line = try await nextLine() else {
      guard count == header.images else { throw damaged }
      return nil
    }
    guard let image = ShardHeader.image(line) else { throw damaged }
    count += 1
    return image
  }

  private mutating func nextLine() async throws -> ArraySlice<UInt8>? {
    var searched = start
    while true {
      if let end = buffer[searched...].firstIndex(of: UInt8(ascii: "\n")) {
        defer { start = end + 1 }
        return buffer[start..<end]
      }
      buffer.removeSubrange(..<start)
      (start, searched) = (0, buffer.count)
      let (path, part, offset) = (path, part, offset)
      let bytes = try await output.read(path, part, at: offset)
      guard !bytes.isEmpty else {
        // A result is published whole, with a line end behind its last line.
        guard buffer.isEmpty else { throw damaged }
        return nil
      }
      self.offset += bytes.count
      buffer += bytes
    }
  }

  private var damaged: TesseraError {
    TesseraError(
      .output, "\"\(FileSystem.join(output.location, path))\" is damaged",
      remedy: "run the shard \(header.shard)/\(header.shards) again")
  }
}

/// The next image of each shard, of which the one with the smallest line number is the first: a binary
/// heap.
struct LineHeap {
  struct Entry {
    var line: Int
    var image: ArraySlice<UInt8>
    /// SHA-256 of its files.
    var sha256: [String]
    var shard: Int
  }

  private var entries: [Entry] = []

  var first: Entry? { entries.first }

  mutating func add(_ entry: Entry) {
    entries.append(entry)
    var child = entries.count - 1
    while child > 0, entries[child].line < entries[(child - 1) / 2].line {
      entries.swapAt(child, (child - 1) / 2)
      child = (child - 1) / 2
    }
  }

  /// The first entry's shard has its next image.
  mutating func replaceFirst(_ entry: Entry) {
    entries[0] = entry
    sink()
  }

  mutating func removeFirst() {
    entries[0] = entries[entries.count - 1]
    entries.removeLast()
    sink()
  }

  private mutating func sink() {
    var parent = 0
    while true {
      var smallest = parent
      for child in parent * 2 + 1...parent * 2 + 2
      where child < entries.count && entries[child].line < entries[smallest].line {
        smallest = child
      }
      if smallest == parent { return }
      entries.swapAt(parent, smallest)
      parent = smallest
    }
  }
}
