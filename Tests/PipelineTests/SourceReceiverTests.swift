import TesseraImageHeader
import TesseraNet
import TesseraOutput
import TesseraPipelineFile
import TesseraSystem
import TesseraTestSupport
import Testing

@testable import TesseraPipeline

/// The header of a source is found even if the room for searches is full while it arrives.
@Suite struct IntakeTests {
  private static let block: [UInt8] =
    [0xFF, 0xE1, 0xC3, 0x50] + [UInt8](repeating: 0, count: 0xC350 - 2)

  private static func spool(_ name: String, in folder: TemporaryFolder) throws -> WorkFile {
    let workspace = Workspace(
      try Directory(folder.path("work"), creates: true), of: "the output")
    try workspace.clear()
    return workspace.spool(name)
  }

  /// Receives bytes in pieces. Returns how many were taken, and what they are.
  private static func receive(
    _ bytes: [UInt8], _ room: SearchRoom, pixels: Int = 1_000_000, length: Int? = nil
  ) throws -> (taken: Int, String) {
    let folder = try TemporaryFolder()
    var file = PipelineFile.example()
    file.limits.pixels = pixels
    let receiver = SourceReceiver(
      Acceptance(file), spool: try Self.spool("source", in: folder), room: room)
    _ = receiver.begin(.whole(length: length), nil)
    var taken = 0
    while taken < bytes.count {
      let end = min(taken + 16_384, bytes.count)
      let verdict = receiver.receive(bytes.span.bytes.extracting(taken..<end))
      taken = end
      if case .enough = verdict { break }
    }
    switch try receiver.finish() {
    case .image(let header, _): return (taken, "\(header.width)x\(header.height)")
    case .rejected(let rejection): return (taken, rejection.code)
    }
  }

  /// Blocks before the size, the limit of pixels, what is found, and whether it is found before the
  /// end if there is room.
  @Test(
    .takesSeconds,
    arguments: [
      (0, 1_000_000, "240x160", false), (4, 1_000_000, "240x160", false),
      (4, 1_000, "too-many-pixels", true), (340, 1_000_000, "malformed", true),
    ])
  func theSpoolIsSearchedIfThereIsNoRoom(
    _ blocks: Int, _ pixels: Int, _ expected: String, _ isEarly: Bool
  ) throws {
    let photo = try Places.bytes("plain.jpg")
    let blocks = [[UInt8]](repeating: Self.block, count: blocks).joined()
    let bytes = photo.prefix(2) + blocks + photo.dropFirst(2) + [UInt8](repeating: 0, count: 40_000)
    let roomy = try Self.receive(Array(bytes), .shared, pixels: pixels)
    #expect(roomy.1 == expected)
    #expect((roomy.taken < bytes.count) == isEarly)
    let tight = try Self.receive(Array(bytes), SearchRoom(bytes: 0), pixels: pixels)
    #expect(tight.1 == expected)
    #expect(tight.taken == bytes.count)
  }

  /// A directory at the end of a large file is read there once all of it has arrived.
  @Test func aDirectoryMayBeAtTheEnd() throws {
    func little(_ value: Int, _ count: Int) -> [UInt8] {
      (0..<count).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
    }
    func file(at offset: Int) -> [UInt8] {
      let entries = [(256, 240), (257, 160)].flatMap { tag, value in
        little(tag, 2) + little(3, 2) + little(1, 4) + little(value, 4)
      }
      return Array("II*\0".utf8) + little(offset, 4) + [UInt8](repeating: 0, count: offset - 8)
        + little(2, 2) + entries + little(0, 4)
    }
    for offset in [
      8, HeaderReader.reach - 100, HeaderReader.reach, HeaderReader.reach + 1, 17 << 20,
    ] {
      let whole = file(at: offset)
      for room in [SearchRoom.shared, SearchRoom(bytes: 0)] {
        #expect(try Self.receive(whole, room) == (whole.count, "240x160"), "\(offset)")
      }
      // One that is cut off.
      let cut = try Self.receive(Array(whole.dropLast(20)), .shared).1
      #expect(cut == "truncated", "\(offset)")
    }
    // What the server states to be shorter is not received.
    let whole = file(at: 17 << 20)
    #expect(try Self.receive(whole, .shared, length: 1_000_000) == (16_384, "malformed"))
  }

  /// However many sources are searched at a time, they keep no more than the room.
  @Test func manySearchesShareTheRoom() throws {
    let folder = try TemporaryFolder()
    let room = SearchRoom(bytes: 1 << 20)
    let intakes = try (0..<40).map {
      SourceReceiver(Acceptance(.example()), spool: try Self.spool("\($0)", in: folder), room: room)
    }
    // 100 kB of a header without an end each: 36 kB more than every search may keep.
    let bytes = [0xFF, 0xD8] + Self.block + Self.block
    for receiver in intakes {
      guard case .more = receiver.receive(bytes.span.bytes) else {
        Issue.record("it was rejected")
        return
      }
    }
    let rest = SearchShare(of: room)
    let fits = rest.resize(for: 65_536 + 36_000)
    #expect(!fits)
    // None of them ends with an image, and none of them is lost to an error.
    for receiver in intakes {
      if case .image = try receiver.finish() { Issue.record("an image was found") }
    }
  }
}
