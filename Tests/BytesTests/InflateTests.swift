import Testing

@testable import TesseraBytes

@Suite struct InflateTests {
  @Test(arguments: [
    ("", UInt32(0)), ("123456789", 0xCBF4_3926), ("IEND", 0xAE42_6082),
  ])
  func checksumsMatchKnownValues(_ text: String, _ value: UInt32) {
    #expect(CRC32.of(Array(text.utf8)) == value)
  }

  @Test(arguments: [Packed.zlib, Packed.gzip])
  func recognizesBothFramings(_ packed: [UInt8]) throws {
    var output = [UInt8](repeating: 0, count: 100)
    let step = try Inflate().step(packed.span, into: &output)
    #expect(step == .init(consumed: packed.count, produced: Packed.text.count, hasEnded: true))
    #expect(Array(output[..<step.produced]) == Packed.text)
  }

  @Test func acceptsInputByteByByte() throws {
    let inflate = Inflate()
    var (result, hasEnded) = ([UInt8](), false)
    for byte in Packed.zlib {
      #expect(!hasEnded)
      var output = [UInt8](repeating: 0, count: 100)
      let part = [byte]
      let step = try inflate.step(part.span, into: &output)
      result += output[..<step.produced]
      hasEnded = step.hasEnded
    }
    #expect(hasEnded)
    #expect(result == Packed.text)
  }

  @Test func writesNoMoreThanTheOutputHolds() throws {
    let inflate = Inflate()
    let packed = Packed.zlib
    var (result, offset, hasEnded) = ([UInt8](), 0, false)
    while !hasEnded {
      var output = [UInt8](repeating: 0, count: 3)
      let step = try inflate.step(packed.span.extracting(offset...), into: &output)
      result += output[..<step.produced]
      offset += step.consumed
      hasEnded = step.hasEnded
    }
    #expect(result == Packed.text)
  }

  @Test func leavesWhatFollowsTheStream() throws {
    var output = [UInt8](repeating: 0, count: 100)
    let packed = Packed.zlib + [1, 2, 3]
    let step = try Inflate().step(packed.span, into: &output)
    #expect(step.consumed == Packed.zlib.count)
    #expect(step.hasEnded)
  }

  @Test func aStepWithoutInputIsNotAnError() throws {
    var output = [UInt8](repeating: 0, count: 100)
    let nothing: [UInt8] = []
    let step = try Inflate().step(nothing.span, into: &output)
    #expect(step == .init(consumed: 0, produced: 0, hasEnded: false))
  }

  @Test func reportsDamage() throws {
    var damaged = Packed.zlib
    damaged[damaged.count - 1] ^= 1
    var output = [UInt8](repeating: 0, count: 100)
    do {
      _ = try Inflate().step(damaged.span, into: &output)
      Issue.record("accepted")
    } catch {
      #expect(error.message == "incorrect data check")
    }
  }

  @Test func startsAgainAfterAReset() throws {
    let inflate = Inflate()
    let packed = Packed.gzip
    for _ in 0..<3 {
      var output = [UInt8](repeating: 0, count: 100)
      let step = try inflate.step(packed.span, into: &output)
      #expect(Array(output[..<step.produced]) == Packed.text)
      inflate.reset()
    }
  }
}
