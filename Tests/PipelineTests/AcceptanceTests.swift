import TesseraImageHeader
import TesseraPipelineFile
import TesseraPlan
import TesseraState
import TesseraTestSupport
import Testing

@testable import TesseraPipeline

@Suite struct AcceptanceTests {
  private func acceptance(_ change: (inout PipelineFile) -> Void = { _ in }) -> Acceptance {
    var file = PipelineFile.example()
    change(&file)
    return Acceptance(file)
  }

  private func rejection(
    _ header: ImageHeader, length: Int? = nil, _ change: (inout PipelineFile) -> Void = { _ in }
  ) -> Rejection? {
    acceptance(change).rejection(of: .header(header), length: length)
  }

  /// Only then is it known that a file with it is made.
  @Test func withGainMapsAJPEGMustHaveBeenLookedAt() {
    func content(_ format: String, _ headroom: Double?) -> ContentRecord {
      ContentRecord(
        format: format,
        facts: SourceFacts(size: Size(3, 4), hasAlpha: false, frames: 1, headroom: headroom))
    }
    let keep = acceptance { $0.plan.dynamicRange = .keep }
    for headroom in [0, 4] as [Double] {
      #expect(keep.isExamined(content("jpeg", headroom)))
    }
    #expect(!keep.isExamined(content("jpeg", nil)) && keep.accepts(content("jpeg", nil)))
    #expect(keep.isExamined(content("png", nil)))
    #expect(acceptance().isExamined(content("jpeg", nil)))
  }

  // MARK: Headers of received sources

  @Test(.faults(.i22)) func pixelsAreAcceptedUpToTheLimit() {
    func limit(_ file: inout PipelineFile) { file.limits.pixels = 120_000 }
    let cases: [(Int, Int, Bool)] = [
      (400, 300, true), (300, 400, true), (401, 300, false), (400, 301, false), (1, 120_000, true),
      (1, 120_001, false),
    ]
    for (width, height, isAccepted) in cases {
      let expected =
        isAccepted
        ? nil
        : Rejection.tooManyPixels(
          ImageFacts(format: "jpeg", size: Size(width, height)), limit: 120_000)
      #expect(rejection(.example(.jpeg, width, height), limit) == expected)
    }
  }

  @Test func noSideIsLongerThanTheDecoderAllows() {
    func limit(_ file: inout PipelineFile) { file.limits.pixels = .max }
    let longest = 10_000_000
    #expect(rejection(.example(.jpeg, longest, 1), limit) == nil)
    #expect(rejection(.example(.jpeg, longest, longest), limit) == nil)
    for (width, height) in [(longest + 1, 1), (1, longest + 1), (0x7FFF_FFFF, 0x7FFF_FFFF)] {
      let image = ImageFacts(format: "jpeg", size: Size(width, height))
      #expect(rejection(.example(.jpeg, width, height), limit) == .sideTooLong(image))
    }
  }

  @Test func onlyConfiguredFormatsAreAccepted() {
    func limit(_ file: inout PipelineFile) {
      file.accept = [.jpeg, .png]
      file.limits.pixels = 100
    }
    #expect(rejection(.example(.png, 10, 10), limit) == nil)
    // The format is the first reason, even if the image is also too large.
    #expect(
      rejection(.example(.avif, 400, 300), limit)
        == .unsupportedFormat(
          ImageFacts(format: "avif", size: Size(400, 300)), accepted: ["jpeg", "png"]))
  }

  @Test func rejectionsNameTheDisplayedSize() {
    #expect(
      rejection(.example(.jpeg, 400, 300, .turnedRight)) { $0.limits.pixels = 1 }
        == .tooManyPixels(ImageFacts(format: "jpeg", size: Size(300, 400)), limit: 1))
  }

  @Test func whatIsNotAHeaderYetIsNotRejected() {
    #expect(acceptance().rejection(of: .needs(0..<100)) == nil)
    #expect(acceptance().rejection(of: .needs(0..<100), length: .max) == nil)
  }

  @Test func theHeaderReadersRejectionIsPassedOn() {
    for kind in [HeaderRejection.Kind.notImage, .malformed, .truncated] {
      let rejection = acceptance().rejection(of: .rejected(HeaderRejection(kind, "an HTML page")))
      #expect(rejection == .header(code: kind.rawValue, reason: "an HTML page"))
      #expect(rejection?.isRetryable == (kind == .truncated))
      #expect(rejection?.image == nil)
    }
  }

  @Test func aLayoutRunRejectsALengthAboveTheLimit() {
    let image = ImageFacts(format: "jpeg", size: Size(400, 300))
    let cases: [(Int?, Rejection?)] = [
      (nil, nil), (0, nil), (1_000, nil), (1_001, .tooLarge(image, limit: 1_000)),
      (.max, .tooLarge(image, limit: 1_000)),
    ]
    for (length, expected) in cases {
      #expect(rejection(.example(), length: length) { $0.fetch.maximumBytes = 1_000 } == expected)
    }
    // Another reason comes first.
    let rejection = rejection(.example(.gif), length: .max) { $0.accept = [.jpeg] }
    #expect(rejection?.code == "unsupported-format")
  }

  @Test func everyRejectionHasItsCode() {
    let image = ImageFacts(format: "jpeg", size: Size(1, 1))
    let cases: [(Rejection, String)] = [
      (.header(code: "malformed", reason: ""), "malformed"),
      (.notAnImage, "not-image"),
      (.unsupportedFormat(image, accepted: []), "unsupported-format"),
      (.sideTooLong(image), "too-many-pixels"),
      (.tooManyPixels(image, limit: 1), "too-many-pixels"),
      (.tooLarge(image, limit: 1), "too-large"),
      (.stored(code: "not-image", sentence: "", nil), "not-image"),
    ]
    for (rejection, code) in cases { #expect(rejection.code == code) }
  }

  // MARK: Contents of earlier runs

  @Test(.faults(.i5)) func pixelsOfAllFramesCountTogether() {
    let limited = acceptance {
      $0.limits.pixels = 1_000
      $0.limits.frames = 10
    }
    let cases: [(Int, Int, frames: Int, Bool)] = [
      (10, 10, 1, true), (10, 10, 10, true), (10, 10, 11, false), (10, 11, 10, false),
      (11, 9, 10, true), (1_000, 1, 1, true), (1_001, 1, 1, false), (500, 1, 2, true),
      (501, 1, 2, false), (333, 1, 3, true), (334, 1, 3, false), (1, 1, 11, false),
    ]
    for (width, height, frames, isAccepted) in cases {
      let content = ContentRecord.example(width: width, height: height, frames: frames)
      #expect(limited.accepts(content) == isAccepted, "\(width) x \(height) x \(frames)")
    }
  }

  @Test(.faults(.i22)) func noProductOverflows() {
    let unlimited = acceptance {
      $0.limits.pixels = .max
      $0.limits.frames = 1_000_000
    }
    // The largest record that the state returns: 10^20 pixels do not fit into 64 bits.
    let largest = ContentRecord.example(
      width: 10_000_000, height: 10_000_000, frames: 1_000_000)
    #expect(!unlimited.accepts(largest))
    // The most frames that a pipeline file may allow.
    #expect(
      !acceptance { $0.limits.frames = 100_000 }
        .accepts(.example(width: 10_000_000, height: 10_000_000, frames: 100_000)))
    #expect(unlimited.accepts(.example(width: 10_000_000, height: 10_000_000, frames: 1)))
    let side = 0x7FFF_FFFF
    #expect(unlimited.accepts(HeaderRecord.example(width: side, height: side)))
    #expect(!acceptance().accepts(HeaderRecord.example(width: side, height: side)))
  }

  @Test func bytesAreAcceptedUpToTheLimit() {
    let limited = acceptance { $0.fetch.maximumBytes = 1_000 }
    for (bytes, isAccepted) in [(nil, true), (0, true), (1_000, true), (1_001, false)] {
      var content = ContentRecord.example()
      content.bytes = bytes
      #expect(limited.accepts(content) == isAccepted)
    }
  }

  @Test func contentsAndHeadersOfOtherFormatsAreNotAccepted() {
    let limited = acceptance { $0.accept = [.png] }
    #expect(!limited.accepts(ContentRecord.example()))
    #expect(limited.accepts(HeaderRecord.example()))
    #expect(!acceptance { $0.accept = [.jpeg] }.accepts(HeaderRecord.example()))
    #expect(
      acceptance { $0.limits.pixels = 640 * 480 }.accepts(HeaderRecord.example()))
    #expect(
      !acceptance { $0.limits.pixels = 640 * 480 - 1 }.accepts(HeaderRecord.example()))
  }

  @Test func damageIsAcceptedAsFarAsFailOnAllows() {
    func damaged(_ level: FailOn) -> SourceWarning { .damaged(level, detail: "broken") }
    let harmless: [SourceWarning] = [.damagedProfile, .unusableProfile(detail: "odd")]
    // What was decoded at a laxer level is rejected at a stricter one: results for none, truncated
    // and error.
    let cases: [([SourceWarning], [Bool])] = [
      ([], [true, true, true]),
      (harmless, [true, true, true]),
      ([damaged(.none)], [true, false, false]),
      ([damaged(.truncated)], [true, true, false]),
      ([damaged(.error)], [true, true, true]),
      (harmless + [damaged(.truncated)], [true, true, false]),
      ([damaged(.truncated), damaged(.none)], [true, false, false]),
    ]
    for (warnings, expected) in cases {
      let results = [FailOn.none, .truncated, .error].map { level in
        acceptance { $0.failOn = level }.accepts(.example(warnings: warnings))
      }
      #expect(results == expected, "\(warnings)")
    }
  }
}
