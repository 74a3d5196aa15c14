internal import TesseraBytes

/// Some lines of a manifest that follow each other. What becomes of them is decided at once if all of them are as they were.
package struct ManifestChunk: Sendable {
  /// The number of its first line.
  package private(set) var line: Int
  /// SHA-256 of everything in the manifest that its records are made of; nil if they are not to be compared.
  package let digest: String?
  let content: Content

  enum Content: Sendable {
    case lines([RecordSplitter.Record])
    case records([ManifestRecord])
  }

  /// Parts of records that are not compared, not longer than others; none if there are none.
  package static func uncompared(_ records: [ManifestRecord]) -> [ManifestChunk] {
    stride(from: 0, to: records.count, by: PartBuilder.most).map { start in
      let part = Array(records[start..<min(start + PartBuilder.most, records.count)])
      return ManifestChunk(part, line: part[0].line)
    }
  }

  private init(_ records: [ManifestRecord], line: Int) {
    (self.line, digest, content) = (line, nil, .records(records))
  }

  fileprivate init(_ lines: [RecordSplitter.Record], digest: String) {
    (line, self.digest, content) = (lines[0].lines.lowerBound, digest, .lines(lines))
  }

  /// The chunk as one of a list with this many lines before it.
  package func numbered(from start: Int) -> ManifestChunk {
    var part = self
    part.line += start
    return part
  }

  var count: Int {
    switch content {
    case .lines(let lines): lines.count
    case .records(let records): records.count
    }
  }
}

/// Makes parts of lines. Where a part ends follows from the lines alone, not from their numbers: a line more or less changes one
/// part, and those behind it are found again (content-defined chunking, as rsync's and restic's).
struct PartBuilder {
  /// What lines mean depends on: their format, and the header row.
  var seed: [UInt8] = []
  private var lines: [RecordSplitter.Record] = []
  private var bytes: [UInt8] = []

  /// Lines of a part. Smaller parts have more rows in the state, and of larger ones more are done again for one changed line.
  private static let least = 6
  fileprivate static let most = 32
  /// Of one part. The longest line has 1 MiB.
  private static let mostBytes = 64 * 1024

  /// Adds a line that is whole. Returns the part that it completes.
  mutating func add(_ line: RecordSplitter.Record, _ text: [UInt8]) -> ManifestChunk? {
    if lines.isEmpty { bytes = seed }
    lines.append(line)
    bytes += text
    bytes.append(UInt8(ascii: "\n"))
    let isEnd = lines.count >= Self.least && CRC32.of(text).isMultiple(of: UInt32(Self.least))
    return isEnd || lines.count == Self.most || bytes.count > Self.mostBytes ? close() : nil
  }

  /// The lines since the last part; nil if there are none.
  mutating func close() -> ManifestChunk? {
    if lines.isEmpty { return nil }
    defer { lines = [] }
    return ManifestChunk(lines, digest: SHA256.of(bytes))
  }
}

extension ManifestReader {
  /// As ``read(_:limit:)``, in parts; lines may wait for others of their part.
  package mutating func parts(_ bytes: inout ArraySlice<UInt8>, limit: Int) -> [ManifestChunk] {
    var (parts, count) = ([ManifestChunk](), 0)
    while count < limit, let line = splitter.next(in: &bytes) {
      for part in take(line) {
        parts.append(part)
        count += part.count
      }
    }
    return parts
  }

  /// The last parts, at the end of the stream.
  package mutating func finishParts() -> [ManifestChunk] {
    let last = lastRecord().map { take($0) } ?? []
    return last + (builder.close().map { [$0] } ?? [])
  }

  private mutating func take(_ line: RecordSplitter.Record) -> [ManifestChunk] {
    if hasFormat, let bytes = line.bytes, line.openQuote == nil {
      return builder.add(line, bytes).map { [$0] } ?? []
    }
    // Lines that make the format known, and those that can't be used, are by themselves.
    let before = builder.close().map { [$0] } ?? []
    return before + ManifestChunk.uncompared(decode(line))
  }

  /// The records of a part. Each part is decoded at most once, and in their order.
  package mutating func records(of part: ManifestChunk) -> [ManifestRecord] {
    switch part.content {
    case .records(let records): records
    case .lines(let lines): lines.flatMap { decode($0) }
    }
  }
}
