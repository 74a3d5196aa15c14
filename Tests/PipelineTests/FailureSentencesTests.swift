import TesseraCatalog
import TesseraNet
import TesseraPlan
import TesseraWorkers
import Testing

@testable import TesseraPipeline

@Suite struct FailureSentencesTests {
  private static let image = ImageFacts(format: "avif", size: Size(400, 300))

  private static let cases: [(ItemFailure, CatalogImage.Failure)] = [
    (
      .unknownSlot("hero", known: ["card", "detail"]),
      .init(
        code: "unknown-slot", message: "The pipeline has no slot \"hero\"; it has card, detail.",
        retryable: false)
    ),
    (
      .unreachable(FetchError(.httpStatus, "the server answered 503", isRetryable: true)),
      .init(code: "http-status", message: "The server answered 503.", retryable: true)
    ),
    (
      .unreachable(.runDeadline),
      .init(
        code: "run-deadline",
        message: "The run's deadline passed before this image was done.", retryable: true)
    ),
    (
      .rejected(.header(code: "not-image", reason: "an HTML page, not an image")),
      .init(
        code: "not-image", message: "The file is an HTML page, not an image.", retryable: false)
    ),
    (
      .rejected(.header(code: "truncated", reason: "cut off before its size")),
      .init(code: "truncated", message: "The file is cut off before its size.", retryable: true)
    ),
    (
      .rejected(.notAnImage),
      .init(code: "not-image", message: "The file is not a recognized image.", retryable: false)
    ),
    (
      .rejected(.unsupportedFormat(image, accepted: ["jpeg", "png"])),
      .init(
        code: "unsupported-format",
        message: "The file is an AVIF image; \"accept\" lists jpeg, png.", retryable: false)
    ),
    (
      .rejected(.unsupportedFormat(ImageFacts(format: "odd", size: Size(1, 1)), accepted: ["gif"])),
      .init(
        code: "unsupported-format", message: "The file is a odd image; \"accept\" lists gif.",
        retryable: false)
    ),
    (
      .rejected(.sideTooLong(image)),
      .init(
        code: "too-many-pixels",
        message: "The image has 400 x 300 pixels; no side may be longer than 10000000.",
        retryable: false)
    ),
    (
      .rejected(.tooManyPixels(image, limit: 1_000)),
      .init(
        code: "too-many-pixels",
        message:
          "The image has 400 x 300 pixels; limits.pixels, or the image service, allows 1000.",
        retryable: false)
    ),
    (
      .rejected(.tooLarge(image, limit: 64_000_000)),
      .init(
        code: "too-large", message: "The file is larger than 64000000 bytes (max-bytes).",
        retryable: false)
    ),
    (
      .rejected(.stored(code: "not-image", sentence: "the file is a web page", nil)),
      .init(code: "not-image", message: "The file is a web page.", retryable: false)
    ),
    // Sentences of schema 8 were stored with their capital and full stop.
    (
      .undecodable(TranscodeFailure(.decode, "The data is damaged."), image),
      .init(code: "decode", message: "The data is damaged.", retryable: false)
    ),
  ]

  @Test func everyFailureIsASentence() {
    for (failure, expected) in Self.cases {
      #expect(CatalogImage.Failure(failure) == expected)
    }
  }

  @Test func onlyFaultsOfTheMachineMayPass() {
    let cases: [(TranscodeFailure.Code, String, Bool)] = [
      (.decode, "decode", false), (.encode, "encode", false),
      (.tooManyPixels, "too-many-pixels", false), (.tooManyFrames, "too-many-frames", false),
      (.tooManyScans, "too-many-scans", false), (.local, "local", false),
      (.workerCrashed, "worker-crashed", true), (.workerTimeout, "worker-timeout", true),
      (.outOfMemory, "out-of-memory", false), (.workerProtocol, "worker-protocol", true),
      (.cancelled, "cancelled", false),
    ]
    for (code, name, mayPass) in cases {
      let failure = ItemFailure.undecodable(TranscodeFailure(code, "it broke"), nil)
      #expect(
        CatalogImage.Failure(failure)
          == .init(code: name, message: "It broke.", retryable: mayPass))
    }
  }

  @Test func noSentenceIsEmpty() {
    for (failure, _) in Self.cases {
      let message = CatalogImage.Failure(failure).message
      #expect(message.count > 5)
      #expect(message.hasSuffix("."))
      #expect(!message.hasSuffix(".."))
      #expect(message.first?.isUppercase == true)
    }
  }

  @Test func failuresAreSharedAndClassified() {
    for (failure, _) in Self.cases {
      let isSlot = if case .unknownSlot = failure { true } else { false }
      #expect(failure.isShared == !isSlot)
      let isOfBytes = if case .undecodable = failure { true } else { false }
      #expect(failure.isOfBytes == isOfBytes)
    }
  }
}
