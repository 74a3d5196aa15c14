import TesseraBytes
import Testing

/// Decompression beyond what fits into one chunk.
@Suite struct StoredGzipTests {
  /// A gzip file that stores bytes without compression (RFC 1951, section 3.2.4; RFC 1952).
  private static func stored(_ bytes: [UInt8]) -> [UInt8] {
    func little(_ value: Int, _ count: Int) -> [UInt8] {
      (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }
    var file: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 255]
    for start in stride(from: 0, to: max(1, bytes.count), by: 65_535) {
      let part = bytes[start..<min(start + 65_535, bytes.count)]
      let isLast = start + 65_535 >= bytes.count
      file += [isLast ? 1 : 0] + little(part.count, 2) + little(~part.count, 2) + part
    }
    return file + little(Int(CRC32.of(bytes)), 4) + little(bytes.count, 4)
  }

  private static func chunks(_ gunzip: Gunzip) throws -> [[UInt8]] {
    var chunks: [[UInt8]] = []
    while let chunk = try gunzip.next() { chunks.append(chunk) }
    return chunks
  }

  @Test(arguments: [0, 1, 65_535, 65_536, 65_537, 200_000])
  func aChunkIsAtMost64KiB(_ count: Int) throws {
    #expect(Gunzip.maximumChunk == 65_536)
    let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 >> 5) }
    let gunzip = Gunzip()
    gunzip.add(Self.stored(bytes))
    let chunks = try Self.chunks(gunzip)
    #expect(chunks.flatMap(\.self) == bytes)
    #expect(chunks.dropLast().allSatisfy { $0.count == 65_536 })
    #expect(chunks.allSatisfy { (1...65_536).contains($0.count) })
    #expect(gunzip.isComplete)
  }

  /// What was added and not yet decompressed goes before what is added next.
  @Test func bytesThatWaitAreKept() throws {
    let bytes = (0..<150_000).map { UInt8(truncatingIfNeeded: $0 >> 7) }
    let file = Self.stored(bytes) + Packed.gzip
    let gunzip = Gunzip()
    var found: [UInt8] = []
    for start in stride(from: 0, to: file.count, by: 40_000) {
      gunzip.add(Array(file[start..<min(start + 40_000, file.count)]))
      // One chunk at a time, so that some of each part is left.
      found += try gunzip.next() ?? []
      #expect(!gunzip.isComplete || start + 40_000 >= file.count)
    }
    found += try Self.chunks(gunzip).flatMap(\.self)
    #expect(found == bytes + Packed.text)
    #expect(gunzip.isComplete)
  }

  /// A zlib stream that needs a dictionary (RFC 1950, section 2.2) has no message of its own.
  @Test func aStreamWithADictionaryIsRejected() {
    var output = [UInt8](repeating: 0, count: 9)
    let bytes: [UInt8] = [0x78, 0x20, 0, 0, 0, 1]
    do {
      _ = try Inflate().step(bytes.span, into: &output)
      Issue.record("accepted")
    } catch {
      #expect(error.message == "not valid compressed data")
    }
  }

  @Test func anEmptyOutputIsNotAnError() throws {
    let inflate = Inflate()
    var nothing: [UInt8] = []
    let packed = Packed.gzip
    let step = try inflate.step(packed.span, into: &nothing)
    #expect(step.produced == 0 && !step.hasEnded)
    var output = [UInt8](repeating: 0, count: 99)
    let rest = Array(packed[step.consumed...])
    let last = try inflate.step(rest.span, into: &output)
    #expect(last.hasEnded)
    #expect(Array(output[..<last.produced]) == Packed.text)
  }
}
