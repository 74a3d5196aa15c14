import TesseraImageHeader
import TesseraPlan
import TesseraTestSupport
import TesseraWorkers
import Testing

@testable import TesseraTranscode

@Suite struct StructureCheckTests {
  private func failure(
    _ file: [UInt8], _ format: ImageFormat, _ failOn: FailOn = .error, maximumFrames: Int = 3
  ) -> TranscodeFailure? {
    var job = decoding(format.rawValue, Size(1, 1))
    job.maximumFrames = maximumFrames
    return withSource(file) { source in
      do throws(TranscodeFailure) {
        try StructureCheck.run(source, job, format, failOn)
        return nil
      } catch {
        return error
      }
    }
  }

  @Test func aTruncatedGIFIsRejectedUnlessNothingIs() throws {
    let whole = try Places.bytes("animated.gif")
    let half = Array(whole.prefix(whole.count / 2))
    let expected = TranscodeFailure(
      .decode, "the image could not be decoded: the GIF file is truncated")
    for failOn in FailOn.allCases {
      #expect(failure(whole, .gif, failOn) == nil)
      #expect(failure(half, .gif, failOn) == (failOn == .none ? nil : expected))
      #expect(failure(half, .png, failOn) == nil)
    }
  }

  /// libheif 1.15 would show another of them than the one that is named.
  @Test func layersAreRejected() {
    func file(_ property: String) -> [UInt8] {
      let boxes = box("ispe", big(0, 4) + big(7, 4) + big(9, 4)) + box(property, [1])
      return box("ftyp", Array("avif".utf8) + big(0, 4) + Array("avif".utf8))
        + box(
          "meta",
          big(0, 4) + box("pitm", big(0, 4) + big(1, 2))
            + box(
              "iprp",
              box("ipco", boxes) + box("ipma", big(0, 4) + big(1, 4) + big(1, 2) + [2, 1, 2])))
    }
    #expect(failure(file("free"), .avif) == nil && failure(file("a1op"), .png) == nil)
    #expect(
      failure(file("a1op"), .avif, .none)
        == TranscodeFailure(
          .decode,
          "the image could not be decoded: AVIF that names one of several layers is not supported"))
  }

  @Test func aJPEGHasAMostNumberOfScans() {
    func file(_ scans: Int) -> [UInt8] {
      [0xFF, 0xD8] + (0..<scans).flatMap { _ in [0xFF, 0xDA, 0, 4, 0, 0, 1] as [UInt8] } + [
        0xFF, 0xD9,
      ]
    }
    expectMost(100) { failure(file($0), .jpeg) == nil }
    #expect(
      failure(file(101), .jpeg)
        == TranscodeFailure(
          .tooManyScans, "the JPEG has more than 100 scans, each of which costs a full decode"))
    #expect(failure(file(101), .png) == nil)
  }

  @Test func aWebPHasAMostNumberOfFrames() {
    func file(_ frames: Int) -> [UInt8] {
      Array("RIFF....WEBPVP8X".utf8) + little(10, 4) + [2] + [UInt8](repeating: 0, count: 9)
        + (0..<frames).flatMap { _ in Array("ANMF".utf8) + little(2, 4) + [1, 1] }
    }
    for limit in [3, 10] {
      expectMost(limit) { failure(file($0), .webp, maximumFrames: limit) == nil }
    }
    #expect(
      failure(file(9), .webp)
        == TranscodeFailure(
          .tooManyFrames, "the image has more than 3 frames; limits.frames allows 3"))
    #expect(failure(file(9), .png) == nil)
  }
}
