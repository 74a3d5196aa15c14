internal import TesseraBytes
internal import TesseraJSON

/// One part of a manifest that was split for several shards, as a file of its own:
///
///     {"schema":"tessera-split/1","shard":3,"shards":8}
///     {"line":12,"id":"p1","url":"https://…","slots":["card"]}
///     {"line":15,"problem":"the URL is empty"}
///     {"end":2,"manifest":"…"}
///
/// Lines have the numbers that they have in the whole manifest, by which the parts of its catalog are
/// put in order. The last line has the number of lines between it and the first one, by which a file
/// that is cut off is recognized, and the SHA-256 of the whole manifest's bytes.
package struct SplitManifest: Sendable {
  private static let schema = "tessera-split/1"

  package let shard: Shard
  private var lines = 0
  private var end: (lines: Int, manifest: String)?

  package init(_ shard: Shard) { self.shard = shard }

  // MARK: Reading

  /// Nil unless the line is the first one of a part.
  init?(first line: String) {
    guard line.hasPrefix("{\"schema\""), let head = try? JSONParser.parse(Array(line.utf8)),
      head["schema"]?.stringValue == Self.schema, let index = head["shard"]?.intValue,
      let count = head["shards"]?.intValue, let shard = Shard(index, of: count)
    else { return nil }
    self.init(shard)
  }

  /// Nil for the last line, and for a damaged one, which the count of lines then shows.
  mutating func record(_ line: String) -> ManifestRecord? {
    guard let (parts, extra) = try? JSONParser.parse(Array(line.utf8), keepingText: "extra") else {
      return nil
    }
    if let lines = parts["end"]?.intValue, let manifest = parts["manifest"]?.stringValue {
      end = (lines, manifest)
      return nil
    }
    let record: ManifestRecord
    if let line = parts["line"]?.intValue, let message = parts["problem"]?.stringValue {
      record = .problem(ManifestProblem(line: line, message: message))
    } else if let entry = ManifestEntry(parts, extra: extra) {
      record = .entry(entry)
    } else {
      return nil
    }
    lines += 1
    return record
  }

  /// SHA-256 of the whole manifest; nil unless the part was read to its end and is whole.
  package var manifestDigest: String? {
    guard let end, end.lines == lines else { return nil }
    return end.manifest
  }

  // MARK: Writing

  package var firstLine: [UInt8] {
    var writer = JSONWriter()
    writer.object { head in
      head.member("schema", Self.schema)
      head.member("shard", shard.index)
      head.member("shards", shard.count)
    }
    return writer.take() + [UInt8(ascii: "\n")]
  }

  package mutating func line(_ record: ManifestRecord) -> [UInt8] {
    lines += 1
    var writer = JSONWriter()
    writer.object { object in
      switch record {
      // The run's own "ignore-query" decides on ids that are not in the manifest.
      case .entry(let entry): entry.write(to: &object, derivedID: false)
      case .problem(let problem):
        object.member("line", problem.line)
        object.member("problem", problem.message)
      }
    }
    return writer.take() + [UInt8(ascii: "\n")]
  }

  package func lastLine(manifestDigest: String) -> [UInt8] {
    var writer = JSONWriter()
    writer.object { end in
      end.member("end", lines)
      end.member("manifest", manifestDigest)
    }
    return writer.take() + [UInt8(ascii: "\n")]
  }
}

/// One part of a manifest, for runs on several machines: `3/8` is the fourth of eight.
///
/// An item is in the shard whose index is the first 16 hexadecimal digits of the SHA-256 of its id in
/// UTF-8, as a number, modulo the number of shards. This rule never changes: other programs rely on it.
package struct Shard: Sendable, Hashable, CustomStringConvertible {
  /// From 0.
  package let index: Int
  /// The number of shards.
  package let count: Int

  /// More shards than this are a mistake: each has a state of its own.
  package static let maximumCount = 100_000

  /// Nil unless `index` is from 0 to `count` - 1.
  package init?(_ index: Int, of count: Int) {
    guard (1...Self.maximumCount).contains(count), (0..<count).contains(index) else { return nil }
    self.index = index
    self.count = count
  }

  /// Nil unless the text is like `3/8`.
  package init?(_ text: String) {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false).map { Int($0) }
    guard parts.count == 2, let index = parts[0], let count = parts[1] else { return nil }
    self.init(index, of: count)
  }

  package var description: String { "\(index)/\(count)" }

  package func owns(_ id: String) -> Bool { Self.index(of: id, among: count) == index }

  /// Whether a line that can't be used is reported by this shard: one of them reports it.
  package func owns(line: Int) -> Bool { line % count == index }

  /// The index of the shard that an item is in.
  package static func index(of id: String, among count: Int) -> Int {
    guard let number = UInt64(SHA256.of(id).prefix(16), radix: 16) else {
      preconditionFailure("a SHA-256 begins with 16 hexadecimal digits")
    }
    return Int(number % UInt64(count))
  }
}
