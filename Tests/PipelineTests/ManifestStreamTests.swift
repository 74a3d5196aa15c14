import Foundation
import TesseraBytes
import TesseraManifest
import TesseraNet
import TesseraSystem
import TesseraTestSupport
import TesseraText
import Testing

@testable import TesseraPipeline
@testable import TesseraPipelineFile

/// Manifests as they are read: files, pipes, gzip, and parts of a split one.
@Suite struct ManifestStreamTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func pipeline(_ name: String = "list") -> PipelineFile {
    var file = PipelineFile.example()
    file.manifest = .file(folder.path(name))
    return file
  }

  private func write(_ bytes: [UInt8], to name: String = "list") throws {
    try Data(bytes).write(to: folder.url.appending(path: name))
  }

  private func open(_ bytes: [UInt8], needsDigest: Bool = false) async throws -> ManifestStream {
    try write(bytes)
    return try await ManifestStream.open(
      pipeline(), in: folder.url.path, needsDigest: needsDigest)
  }

  /// All records of a stream, by batches, or its error.
  private static func read(_ stream: ManifestStream) async throws -> [[ManifestRecord]] {
    var batches: [[ManifestRecord]] = []
    while let batch = try await stream.nextBatch() { batches.append(batch) }
    return batches
  }

  private func error(_ bytes: [UInt8]) async throws -> String? {
    do {
      _ = try await Self.read(try await open(bytes))
      return nil
    } catch let error as TesseraError {
      return error.description.replacing("the manifest \"\(folder.path("list"))\": ", with: "")
    }
  }

  private static let lines = (0..<1_200).map { "https://img.example/\($0)\n" }.joined()

  /// The members of gzip (RFC 1952) with one block of stored bytes (RFC 1951, section 3.2.4).
  private static func gzip(_ text: String) -> [UInt8] {
    let bytes = Array(text.utf8)
    func little(_ value: Int, _ count: Int) -> [UInt8] {
      (0..<count).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
    }
    var sum: UInt32 = ~0
    for byte in bytes {
      sum ^= UInt32(byte)
      for _ in 0..<8 { sum = sum & 1 == 1 ? sum >> 1 ^ 0xEDB8_8320 : sum >> 1 }
    }
    return [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3, 1] + little(bytes.count, 2)
      + little(~bytes.count, 2) + bytes + little(Int(~sum), 4) + little(bytes.count, 4)
  }

  @Test func recordsComeAThousandAtATime() async throws {
    let bytes = Array(Self.lines.utf8)
    for (content, needsDigest) in [(bytes, true), (bytes, false), (Self.gzip(Self.lines), true)] {
      let stream = try await open(content, needsDigest: needsDigest)
      #expect(
        (stream.path, stream.size, stream.bytesRead) == (folder.path("list"), content.count, 0))
      #expect(stream.digest == nil)
      let batches = try await Self.read(stream)
      #expect(batches.map(\.count) == [1_000, 200])
      let urls = batches.joined().map { if case .entry(let entry) = $0 { entry.url } else { "" } }
      #expect(urls == (0..<1_200).map { "https://img.example/\($0)" })
      #expect(stream.bytesRead == content.count)
      #expect(stream.digest == (needsDigest ? SHA256.of(content) : nil))
      #expect(stream.shard == nil)
    }
  }

  /// A small list in gzip may be more than any disk holds.
  @Test(.faults(.m24)) func aListInGzipHasALimit() async throws {
    try write(Self.gzip("https://img.example/a\nhttps://img.example/b\n"))
    for (limit, reason) in [
      (44, nil),
      (
        43,
        "its gzip data becomes too large: more than 43 B; if that is right, raise limits.unpacked-list in the pipeline file"
      ),
    ] {
      var file = pipeline()
      file.limits.unpackedList = limit
      do {
        let stream = try await ManifestStream.open(file, in: folder.url.path)
        #expect(try await Self.read(stream).flatMap(\.self).count == 2 && reason == nil)
      } catch let error as TesseraError {
        #expect(error.description.hasSuffix(": \(reason ?? "none")"), "\(error)")
      }
    }
  }

  @Test func gzipThatIsCutOffOrDamagedIsAnError() async throws {
    let whole = Self.gzip("https://img.example/a\n")
    #expect(try await error(whole) == nil)
    for count in 3..<whole.count {
      #expect(try await error(Array(whole.prefix(count))) == "the gzip data is cut off", "\(count)")
    }
    var damaged = whole
    damaged[whole.count - 8] ^= 1
    #expect(try await error(damaged)?.hasPrefix("damaged gzip data: ") == true)
  }

  /// What is not a list is rejected by its first characters, however far they are.
  @Test(arguments: [
    ("", nil), ("\n", nil), ("x", nil), ("\n\n\n", nil), ("\u{FEFF}https://img.example/a", nil),
    (" <", "its XML can't be read: line 1: unclosed token"),
    ("\n\n<html>", "it is an HTML page, not a list of URLs"),
    (
      String(repeating: "\n", count: 70_000) + "<html>",
      "it is an HTML page, not a list of URLs"
    ),
    (" [1]", nil),
    (" [1", "it is cut off after line 1: its JSON array has no end; make or fetch the list again"),
    ("h\0t\0", nil), ("\0\0\0\0", "it is not a text; a list is one in UTF-8 or UTF-16"),
    // Only the start of a file may be a byte order mark.
    ("\n\n\n\n\0\n", "it is not a text; a list is one in UTF-8 or UTF-16"),
  ])
  func whatIsNoListIsRejected(_ text: String, _ expected: String?) async throws {
    #expect(try await error(Array(text.utf8)) == expected)
    if text.utf8.count < 65_536 {
      #expect(try await error(Self.gzip(text)) == expected)
    }
  }

  @Test func whatCannotBeReadIsAnError() async throws {
    func error(_ manifest: PipelineFile.Manifest) async throws -> String? {
      var file = PipelineFile.example()
      file.manifest = manifest
      let error = await #expect(throws: TesseraError.self) {
        try await ManifestStream.open(file, in: folder.url.path)
      }
      return error?.description
    }
    let (place, missing) = (folder.url.path, folder.path("missing"))
    #expect(try await error(.file(place)) == "the manifest \"\(place)\": it is a directory")
    #expect(
      try await error(.file(missing))
        == "the manifest \"\(missing)\": No such file or directory; write one, with a URL on each "
        + "line, or correct \"manifest\" in the pipeline file")
    let long = "/" + String(repeating: "x", count: 300)
    #expect(try await error(.file(long)) == "the manifest \"\(long)\": File name too long")
    for text in ["s3://bucket", "s3://bucket/", "https://img.example/"] {
      #expect(
        try await error(.object(text)) == "the manifest \"\(text)\": it must be s3://bucket/key")
    }
  }

  @Test func aManifestThatChangesWhileItIsReadIsRejected() async throws {
    let text = Data(Self.lines.utf8)
    let (path, extra) = (folder.url.appending(path: "list"), Data("https://img.example/x\n".utf8))
    let replaced = try await open(Array(text))
    #expect(try await replaced.nextBatch()?.count == 1_000)
    // One that is renamed over it is another file.
    try (text + extra).write(to: path, options: .atomic)
    #expect(try await Self.read(replaced).map(\.count) == [200])
    let changed = try await open(Array(text))
    _ = try await changed.nextBatch()
    let handle = try FileHandle(forWritingTo: path)
    try handle.seekToEnd()
    try handle.write(contentsOf: extra)
    try handle.close()
    let error = await #expect(throws: TesseraError.self) { try await Self.read(changed) }
    #expect(
      error?.description.hasSuffix(
        "\": it changed while it was read; write a new file beside it and rename that") == true)
  }

  @Test func aReaderThatWaitsCanBeStopped() async throws {
    try #require(mkfifo(folder.path("pipe"), 0o600) == 0)
    // A writer that writes nothing yet.
    let writer = Glibc.open(folder.path("pipe"), O_RDWR)
    defer { close(writer) }
    let stream = try await ManifestStream.open(pipeline("pipe"), in: folder.url.path)
    #expect(stream.size == nil)
    let stop = stream.stopper()
    stop()
    await #expect(throws: CancellationError.self) { try await stream.nextBatch() }
  }

  /// A pipe may hand over one byte at a time, of which one does not say that the list is compressed.
  @Test func aPipeMayBeginWithFewBytes() async throws {
    let text = "https://img.example/a\nhttps://img.example/b\n"
    for (name, bytes) in [("plain", Array(text.utf8)), ("packed", Self.gzip(text))] {
      try #require(mkfifo(folder.path(name), 0o600) == 0)
      let writer = Glibc.open(folder.path(name), O_RDWR)
      let stream = try await ManifestStream.open(pipeline(name), in: folder.url.path)
      let records = Task { try await Self.read(stream).flatMap(\.self) }
      for end in [1, 2, bytes.count] {
        let piece = Array(bytes[(end == bytes.count ? 2 : end - 1)..<end])
        try #require(Glibc.write(writer, piece, piece.count) == piece.count)
        try await Task.sleep(for: .milliseconds(20))
      }
      close(writer)
      #expect(try await records.value.count == 2, "\(name)")
    }
  }

  // MARK: What a pipeline says of its manifest

  @Test func thePipelineDecidesOnURLsIdsAndMembers() async throws {
    let lines =
      #"{"id":"a","url":"a.jpg","size":1,"colour":"red"}"# + "\n" + #"{"url":"/b.jpg"}"# + "\n"
    var file = pipeline()
    file.base = "https://img.example/x/"
    file.extra = .named(["colour"])
    file.urls = .none
    try write(Array(lines.utf8))
    let records = try await Self.read(
      try await ManifestStream.open(file, in: folder.url.path)
    ).flatMap(\.self)
    #expect(records.count == 2)
    guard case .entry(let entry) = records[0], case .problem(let problem) = records[1] else {
      Issue.record("\(records)")
      return
    }
    #expect((entry.url, entry.extra) == ("https://img.example/x/a.jpg", #"{"colour":"red"}"#))
    #expect(problem.line == 2 && problem.message.hasPrefix("it has no id,"))
    // One that is to be split keeps what each run selects from.
    let whole = try await Self.read(
      try await ManifestStream.open(file, in: folder.url.path, isSplit: true)
    ).flatMap(\.self)
    var reader = ManifestReader(
      shown: file.shownURLs,
      resolve: { URLReference.resolve($0, against: "https://img.example/x/") }, extra: nil,
      requiresIDs: true)
    #expect(whole == reader.read(Array(lines.utf8)))
    #expect(whole[0] != records[0])
  }

  // MARK: Parts

  @Test func aPartHasTheDigestOfTheWhole() async throws {
    let shard = try #require(Shard(1, of: 2))
    var part = SplitManifest(shard)
    var bytes = part.firstLine
    bytes += part.line(.entry(ManifestEntry(line: 5, id: "a", url: "https://img.example/a")))
    bytes += part.line(.problem(ManifestProblem(line: 7, message: "odd")))
    for needsDigest in [true, false] {
      let stream = try await open(
        bytes + part.lastLine(manifestDigest: "d"), needsDigest: needsDigest)
      let records = try await Self.read(stream).flatMap(\.self)
      #expect(records.count == 2)
      #expect(records.last == .problem(ManifestProblem(line: 7, message: "odd")))
      #expect((stream.shard, stream.digest) == (shard, "d"))
    }
    #expect(
      try await error(bytes) == "it is cut off or damaged; make it again with tessera split")
  }
}

/// The entries of a manifest backwards.
@Suite struct NewestFirstTests {
  @Test func entriesComeBackFromTheLast() throws {
    let folder = try TemporaryFolder()
    var entries = try NewestFirst(in: folder.url.path)
    // Lengths of one to three bytes.
    let lengths = [1, 200, 300, 70_000, 3]
    for (index, length) in lengths.enumerated() {
      let entry = ManifestEntry(
        line: index + 10, id: String(repeating: "x", count: length),
        url: "https://img.example/\(index)", slots: ["card"])
      try entries.add(
        Item(entry, position: 0, PipelineFile.fetch()).placed(
          at: index * 3, in: index * 1_000, slot: index << 33))
    }
    for (index, length) in lengths.enumerated().reversed() {
      let next = try entries.next()
      let (entry, position, chunk, slot) = try #require(next)
      #expect((entry.line, entry.id.count, position) == (index + 10, length, index * 3))
      #expect((chunk, slot) == (index * 1_000, index << 33))
      #expect(entry.url == "https://img.example/\(index)")
      #expect(entry.slots == ["card"])
    }
    #expect(try entries.next() == nil)
    #expect(try entries.next() == nil)
    // It has no name in the folder.
    #expect(folder.files(below: ".") == [])
  }
}
