import Foundation
import TesseraBytes
import TesseraTestSupport
import Testing

@Suite struct GunzipTests {
  /// Decompresses parts as they arrive.
  private static func unpacked(_ parts: [[UInt8]]) throws -> (bytes: [UInt8], isComplete: Bool) {
    let gunzip = Gunzip()
    var bytes: [UInt8] = []
    for part in parts {
      gunzip.add(part)
      while let chunk = try gunzip.next() { bytes += chunk }
    }
    return (bytes, gunzip.isComplete)
  }

  @Test(arguments: [1, 2, 7, 1000])
  func severalMembersCountAsOneFile(_ size: Int) throws {
    let packed = Packed.gzip + Packed.gzip + Packed.gzip
    let parts = stride(from: 0, to: packed.count, by: size).map {
      Array(packed[$0..<min($0 + size, packed.count)])
    }
    let result = try Self.unpacked(parts)
    #expect(result.bytes == Packed.text + Packed.text + Packed.text)
    #expect(result.isComplete)
  }

  /// Bytes may be added before the earlier ones are decompressed.
  @Test func partsMayArriveAhead() throws {
    let gunzip = Gunzip()
    for byte in Packed.gzip { gunzip.add([byte]) }
    var bytes: [UInt8] = []
    while let chunk = try gunzip.next() { bytes += chunk }
    #expect(bytes == Packed.text)
    #expect(gunzip.isComplete)
  }

  @Test func nothingIsComplete() throws {
    let result = try Self.unpacked([])
    #expect(result.bytes.isEmpty)
    #expect(result.isComplete)
  }

  /// Every proper prefix of a file is incomplete, and what it contains is a prefix of the text.
  @Test func everyTruncatedFileIsIncomplete() throws {
    for length in 1..<Packed.gzip.count {
      let result = try Self.unpacked([Array(Packed.gzip[..<length])])
      #expect(!result.isComplete, "\(length) bytes")
      #expect(Packed.text.starts(with: result.bytes))
    }
  }

  @Test func damageAndTrailingBytesAreErrors() throws {
    var damaged = Packed.gzip
    damaged[damaged.count - 8] ^= 1
    for (bytes, message) in [
      (damaged, "incorrect data check"),
      (Packed.gzip + Array("more".utf8), "incorrect header check"),
    ] {
      do {
        _ = try Self.unpacked([bytes])
        Issue.record("accepted")
      } catch let error as Gunzip.Failure {
        #expect(error == .damaged(message))
      }
    }
  }

  /// A decompression bomb: 64 MiB of zeros in some 64 kB, returned in bounded chunks.
  @Test func aBombIsReturnedInBoundedChunks() async throws {
    let folder = try TemporaryFolder()
    let size = 64 << 20
    let made = try await Tool.run(
      "/bin/sh", ["-c", "head -c \(size) /dev/zero | gzip -9 > '\(folder.path("bomb.gz"))'"])
    #expect(made.status == 0)
    let gunzip = Gunzip()
    gunzip.add([UInt8](try folder.read("bomb.gz")))
    var count = 0
    while let chunk = try gunzip.next() {
      #expect(chunk.count <= Gunzip.maximumChunk)
      count += chunk.count
    }
    #expect(count == size)
    #expect(gunzip.isComplete)
  }

  /// The bytes are those of all members together.
  @Test(.faults(.m24)) func whatBecomesTooLargeIsAnError() throws {
    for (count, limit, isTooLarge) in [
      (1, Packed.text.count, false), (1, Packed.text.count - 1, true),
      (3, Packed.text.count * 3, false), (3, Packed.text.count * 3 - 1, true),
    ] {
      let gunzip = Gunzip(limit: limit)
      gunzip.add(Array(repeatElement(Packed.gzip, count: count).joined()))
      var failure: Gunzip.Failure?
      do throws(Gunzip.Failure) {
        while try gunzip.next() != nil {}
      } catch {
        failure = error
      }
      #expect(failure == (isTooLarge ? .tooLarge : nil), "\(count) \(limit)")
    }
  }

  /// From 100 MB on, a thousand times is a bomb, whatever the limit.
  @Test(.faults(.m24)) func aBombEndsByItsDensity() async throws {
    let folder = try TemporaryFolder()
    let made = try await Tool.run(
      "/bin/sh", ["-c", "head -c 300000000 /dev/zero | gzip -9 > '\(folder.path("bomb.gz"))'"])
    #expect(made.status == 0)
    let gunzip = Gunzip(limit: .max)
    gunzip.add([UInt8](try folder.read("bomb.gz")))
    var count = 0
    #expect(throws: Gunzip.Failure.tooDense) {
      while let chunk = try gunzip.next() { count += chunk.count }
    }
    #expect((90_000_000...110_000_000).contains(count))
  }
}
