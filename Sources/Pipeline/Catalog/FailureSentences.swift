internal import TesseraCatalog
internal import TesseraImageHeader
internal import TesseraNet
internal import TesseraPlan
internal import TesseraText
internal import TesseraWorkers

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
