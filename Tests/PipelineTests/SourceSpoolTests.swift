import TesseraBytes
import TesseraCatalog
import TesseraOutput
import TesseraSystem
import TesseraTestSupport
import TesseraWorkers
import Testing

@testable import TesseraPipeline

/// Small sources wait in memory, and what has no room there in a file: the bytes are the same.
@Suite struct SourceSpoolTests {
  private let folder: TemporaryFolder
  private let file: WorkFile

  init() throws {
    folder = try TemporaryFolder()
    let workspace = Workspace(
      try Directory(folder.path("work"), creates: true), of: "the output")
    try workspace.clear()
    file = workspace.spool("source")
  }

  private static func bytes(_ place: JobSource.Bytes, _ count: Int) throws -> [UInt8] {
    switch place {
    case .memory(let bytes): bytes
    case .file(let path): try File(path, .read).read(count + 1, at: 0)
    }
  }

  struct Case: Sendable {
    var pieces = 3
    /// As the server states it.
    var length: Int?
    var room = 1 << 20
    /// Whether there is a pause before the last piece.
    var pauses = false
    var isInMemory = false
  }

  @Test(arguments: [
    Case(isInMemory: true), Case(length: 30_000, isInMemory: true),
    // Stated to be too large, or found to be.
    Case(length: 2 << 20, room: 1 << 22), Case(pieces: 120, room: 1 << 22),
    // No room left.
    Case(room: 25_000), Case(room: 0),
    // Nothing stays open in a pause.
    Case(pauses: true),
  ])
  func bytesAreTheSameWhereverTheyWait(_ test: Case) throws {
    let room = SpoolRoom(bytes: test.room)
    var spool = SourceSpool(file, length: test.length, room: room)
    var expected: [UInt8] = []
    for index in 0..<test.pieces {
      if test.pauses, index == test.pieces - 1 { try spool.pause() }
      let piece = (0..<10_000).map { UInt8(truncatingIfNeeded: $0 * 7 + index) }
      try spool.write(piece.span.bytes)
      expected += piece
    }
    let place = spool.end()
    #expect(try Self.bytes(place, expected.count) == expected)
    #expect((file.size == nil) == test.isInMemory)
    spool.discard()
    #expect(file.size == nil)
  }

  /// What a source held is free for the next one.
  @Test func roomIsGivenBack() throws {
    let room = SpoolRoom(bytes: 10_000)
    for _ in 0..<3 {
      var spool = SourceSpool(file, length: 10_000, room: room)
      try spool.write([UInt8](repeating: 1, count: 10_000).span.bytes)
      guard case .memory = spool.end() else {
        Issue.record("it is not in memory")
        return
      }
      spool.discard()
    }
  }

  /// The line of an image with files in two formats.
  @Test func aStandingLineNamesItsFilesAndPlaces() throws {
    let formats = ["avif", "webp", "png"].map {
      CatalogFormat(
        type: "image/\($0)", fileExtension: $0, recipe: String(SHA256.of($0).prefix(16)))
    }
    let source = String(SHA256.of("a").prefix(32))
    func path(_ sides: String, _ format: Int) -> String {
      FileName.path(
        name:
          "\(source)-\(sides)-\(formats[format].recipe ?? "").\(formats[format].fileExtension ?? "")"
      )
    }
    let line = try #require(
      ReusedLine(
        (#"{"id":"a","source":"\#(source)","extra":{"variants":[{"bytes":[9]}]},"#
          + #""variants":[{"width":8,"height":6,"bytes":[1,2]},"#
          + #"{"width":8,"height":8,"crop":"00c0ffee","bytes":[null,3],"sha256":["x"]}],"#
          + #""slots":{"s":{"width":1,"variants":[0,1]},"t":{"variants":[1]}}}"#).utf8, formats))
    #expect(
      line.files.map(\.path) == [path("8x6", 0), path("8x6", 1), path("8x8-00c0ffee", 1)])
    #expect(line.files.map(\.bytes) == [1, 2, 3])
    #expect(line.places == 3)
    let start = #"{"source":"\#(source)","variants":[{"width":8,"height":6"#
    #expect(ReusedLine((start + #","bytes":[1]}]}"#).utf8, formats)?.files.count == 1)
    for broken in [
      "", "{", "{}", #"{"variants":[]}"#, start + "}]}",
      #"{"variants":[{"width":8,"height":6,"bytes":[1]}]}"#, start + #","bytes":[1,2,3,4]}]}"#,
    ] {
      #expect(ReusedLine(broken.utf8, formats) == nil, "\(broken)")
    }
    // Without a recipe a file has no name.
    #expect(
      ReusedLine((start + #","bytes":[1]}]}"#).utf8, [CatalogFormat(type: "image/webp")]) == nil)
  }
}
