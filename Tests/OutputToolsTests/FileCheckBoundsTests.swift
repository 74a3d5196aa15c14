import Foundation
import TesseraMemoryOutput
import TesseraTestSupport
import Testing

@testable import TesseraOutput
@testable import tessera

/// How much `verify` reads of a file, and what it says of one that is longer or shorter than it should be.
@Suite struct FileCheckBoundsTests {
  private let output = MemoryOutput()

  /// Publishes a file, and returns what a catalog says of it.
  private func file(_ bytes: [UInt8], type: String = "image/png") throws -> PublishedFile {
    let made = SmallOutput.Made(of: bytes, width: 120, height: 80, type: type)
    try output.write(made.path, bytes)
    return made.published
  }

  private func check(
    _ file: PublishedFile, isDeep: Bool
  ) async -> (problem: String?, reads: [Int]) {
    let before = output.reads.count
    let problem = await FileCheck(
      file, sha256: file.sha256.map { [$0] } ?? [], in: output, isDeep: isDeep
    ).problem()
    return (problem, output.reads[before...].map(\.bytes))
  }

  @Test(arguments: [false, true])
  func aFileOfAnotherLengthIsAProblem(_ isDeep: Bool) async throws {
    var file = try file(try Places.bytes("grey.png"))
    let size = file.bytes
    #expect(await check(file, isDeep: isDeep).problem == nil)
    for stated in [size - 1, size + 1, 0] {
      file.bytes = stated
      let (problem, reads) = await check(file, isDeep: isDeep)
      #expect(problem == "has \(size) bytes instead of \(stated)" && reads == [])
    }
  }

  @Test func onlyADeepCheckReadsAllOfALongFile() async throws {
    let start = try Places.bytes("grey.png")
    let file = try file(start + [UInt8](repeating: 7, count: 200_000))
    var (problem, reads) = await check(file, isDeep: false)
    #expect(problem == nil && reads == [65_536])
    (problem, reads) = await check(file, isDeep: true)
    #expect(problem == nil && reads == [file.bytes])
    var bytes = try output.read(file.path, file.bytes, at: 0)
    bytes[bytes.count - 1] = 8
    try output.write(file.path, bytes)
    #expect(await check(file, isDeep: false).problem == nil)
    #expect(await check(file, isDeep: true).problem == "has other content than was published")
  }

  /// A JPEG whose size comes after metadata of more than 64 KiB.
  @Test(arguments: [false, true])
  func moreIsReadIfTheSizeComesLate(_ isDeep: Bool) async throws {
    let plain = try Places.bytes("plain.jpg")
    // Segments APP15 of 60,000 bytes (ITU T.81, section B.2.4.6), right after the start of the image.
    let segment = [0xFF, 0xEF, 0xEA, 0x60] + [UInt8](repeating: 0, count: 59_998)
    var file = try file(plain[..<2] + segment + segment + plain[2...], type: "image/jpeg")
    let found = await check(file, isDeep: isDeep).problem
    let size = try #require(found?.firstMatch(of: /has (\d+) x (\d+) pixels instead of 120 x 80/))
    (file.width, file.height) = (Int(size.output.1) ?? 0, Int(size.output.2) ?? 0)
    #expect(await check(file, isDeep: isDeep).problem == nil)
  }

  @Test func aLinkIsNotRead() async throws {
    let small = try SmallOutput()
    let file = try file([1, 2, 3])
    // Made and removed, so that its folder is there.
    try small.write("", to: file.path)
    try small.remove(file.path)
    try FileManager.default.createSymbolicLink(
      atPath: "\(small.root)/\(file.path)", withDestinationPath: Places.fixture("grey.png").path)
    let problem = await FileCheck(file, in: small.output, isDeep: false).problem()
    #expect(problem?.hasPrefix("can't be read: \"") == true)
    #expect(problem?.contains("is a symbolic link") == true)
  }
}
