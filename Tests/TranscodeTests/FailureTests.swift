import TesseraTestSupport
import TesseraWorkers
import Testing

@testable import TesseraTranscode

@Suite struct VipsErrorTests {
  @Test(arguments: [
    ("out of memory", true), ("vips: out of memory -- size", true),
    ("Cannot allocate memory", true), ("Error creating thread: Resource", true),
    ("VipsJpeg: premature end", false), ("", false),
  ])
  func someMessagesAreOfMemory(_ message: String, _ isMemory: Bool) {
    let error = VipsError(message: message)
    #expect(error.isOutOfMemory == isMemory)
    let decoding = TranscodeFailure(decoding: error)
    let encoding = TranscodeFailure(encoding: error, format: "webp")
    if isMemory {
      #expect(
        decoding
          == TranscodeFailure(
            .outOfMemory, "decoding needed more memory than limits.memory allows"))
      #expect(
        encoding
          == TranscodeFailure(
            .outOfMemory, "encoding needed more memory than limits.memory allows"))
    } else {
      #expect(
        decoding == TranscodeFailure(.decode, "the image could not be decoded: \(message)"))
      #expect(
        encoding
          == TranscodeFailure(.encode, "the webp file could not be encoded: \(message)"))
    }
  }

  @Test func memoryHasAnErrorOfItsOwn() { #expect(VipsError.memory.isOutOfMemory) }
}

@Suite struct AddressSpaceTests {
  @Test func onlyWhatCanBeMappedIsThere() {
    for bytes in [-1, 0, 1, 1 << 20] { #expect(AddressSpace.has(bytes)) }
    // More than a process of 64 bits has.
    #expect(!AddressSpace.has(1 << 60))
  }
}

@Suite struct SourceDataTests {
  @Test func bytesAreReadAsFarAsTheSourceReaches() {
    withSource([1, 2, 3]) { source in
      #expect(source.read(2, at: 0) == [1, 2])
      #expect(source.read(9, at: 1) == [2, 3])
      #expect(source.read(1, at: 2) == [3])
      #expect(source.read(1, at: 3) == [] && source.read(1, at: 4) == [])
      #expect(source.read(1, at: -1) == [])
      let (count, last) = (source.span.count, source.span[2])
      #expect(count == 3 && last == 3)
    }
  }
}
