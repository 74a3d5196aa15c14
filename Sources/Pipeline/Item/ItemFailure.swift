internal import TesseraCatalog
internal import TesseraImageHeader
internal import TesseraNet
internal import TesseraPlan
internal import TesseraText
internal import TesseraWorkers

/// Why an item cannot be shown as it is now. ``CatalogImage/Failure/init(_:)`` puts it into words.
enum ItemFailure: Sendable, Equatable {
  /// The manifest names a slot that the pipeline does not have.
  case unknownSlot(String, known: [String])
  /// The source was not received.
  case unreachable(FetchError)
  /// The source was received, at least its header, and is not accepted.
  case rejected(Rejection)
  /// The image is accepted, and no files can be made of it.
  case undecodable(TranscodeFailure, ImageFacts?)

  /// Whether the bytes are at fault, wherever they come from.
  var isOfBytes: Bool { if case .undecodable = self { true } else { false } }

  /// Whether other items with the same request would fail alike.
  var isShared: Bool { if case .unknownSlot = self { false } else { true } }
}

/// Format and displayed size of an image that is not shown.
package struct ImageFacts: Sendable, Equatable {
  /// As the catalog names it.
  var format: String
  var size: Size
}

/// Why a source is not accepted: its bytes, not its transfer, are at fault.
package enum Rejection: Sendable, Equatable {
  /// The header reader's own code and reason; the reason completes "the file is …".
  case header(code: String, reason: String)
  case notAnImage
  case unsupportedFormat(ImageFacts, accepted: [String])
  case sideTooLong(ImageFacts)
  case tooManyPixels(ImageFacts, limit: Int)
  case tooLarge(ImageFacts, limit: Int)
  /// A sentence that a version with schema 8 or earlier stored.
  case stored(code: String, sentence: String, ImageFacts?)

  /// The catalog's error code.
  package var code: String {
    switch self {
    case .header(let code, _), .stored(let code, _, _): code
    case .notAnImage: "not-image"
    case .unsupportedFormat: "unsupported-format"
    case .sideTooLong, .tooManyPixels: "too-many-pixels"
    case .tooLarge: FetchError.Code.tooLarge.rawValue
    }
  }

  /// The image that the source is, if it is one.
  var image: ImageFacts? {
    switch self {
    case .header, .notAnImage: nil
    case .unsupportedFormat(let image, _), .sideTooLong(let image), .tooManyPixels(let image, _),
      .tooLarge(let image, _):
      image
    case .stored(_, _, let image): image
    }
  }

  /// Whether a later answer may be complete.
  var isRetryable: Bool { code == "truncated" }
}

extension FetchError {
  static let uselessNotModified = FetchError(
    .badResponse, "the server answered 304 to a request without a condition")

  /// Whether the last good files remain shown after this error, because the source was not reached. A
  /// server that says "gone", and an address that is not allowed, are answers.
  var leavesStale: Bool {
    switch code {
    case .httpStatus: ![404, 410, 451].contains(status)
    case .addressRejected, .symlink, .badURL, .notFound: false
    default: true
    }
  }
}

/// The one place that puts failures into words.
extension CatalogImage.Failure {
  init(_ failure: ItemFailure) {
    switch failure {
    case .unknownSlot(let name, let known):
      self.init(
        code: "unknown-slot",
        message: "The pipeline has no slot \"\(name)\"; it has \(known.joined(separator: ", ")).",
        retryable: false)
    case .unreachable(let error):
      self.init(
        code: error.code.rawValue, message: error.message.asSentence, retryable: error.isRetryable)
    case .rejected(let rejection):
      self.init(
        code: rejection.code, message: rejection.sentence.asSentence,
        retryable: rejection.isRetryable)
    case .undecodable(let failure, _):
      // A crash may be the machine's fault; everything else is the image's, and stays.
      let mayPass: [TranscodeFailure.Code] = [.workerCrashed, .workerTimeout, .workerProtocol]
      self.init(
        code: failure.code.rawValue, message: failure.message.asSentence,
        retryable: mayPass.contains(failure.code))
    }
  }
}

extension Rejection {
  /// Without its full stop.
  package var sentence: String {
    switch self {
    case .header(_, let reason): "the file is \(reason)"
    case .notAnImage: "the file is not a recognized image"
    case .unsupportedFormat(let image, let accepted):
      "the file is \(image.formatWithArticle) image; \"accept\" lists "
        + accepted.joined(separator: ", ")
    case .sideTooLong(let image):
      "the image has \(image.dimensions) pixels; no side may be longer than 10000000"
    case .tooManyPixels(let image, let limit):
      "the image has \(image.dimensions) pixels; limits.pixels, or the image service, allows \(limit)"
    case .tooLarge(_, let limit): "the file is larger than \(limit) bytes (max-bytes)"
    case .stored(_, let sentence, _): sentence
    }
  }
}

extension ImageFacts {
  fileprivate var dimensions: String { "\(size.width) x \(size.height)" }

  fileprivate var formatWithArticle: String {
    ImageFormat(rawValue: format)?.withArticle ?? "a \(format)"
  }
}
