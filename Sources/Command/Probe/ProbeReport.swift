internal import TesseraImageHeader
internal import TesseraJSON
internal import TesseraNet

/// The answer for one probed source, as `probe --json` prints it on a line.
struct ProbeReport: Sendable, Encodable {
  /// The source as it was named, without the user and password of a URL.
  let source: String
  private var width, height, pixelWidth, pixelHeight, orientation: Int?
  private var format: String?
  private var alpha, animated: Bool?
  private var frames, bitsPerChannel: Int?
  private var iccProfile: Bool?
  private var error: Failure?
  private let bytesRead, requests: Int

  private struct Failure: Encodable {
    let code, message: String
    let retryable: Bool
  }

  init(_ answer: Prober.Answer) {
    (source, bytesRead, requests) = (answer.source, answer.bytesRead, answer.requests)
    switch answer.result {
    case .success(let header):
      (width, height) = (header.width, header.height)
      (pixelWidth, pixelHeight) = (header.pixelWidth, header.pixelHeight)
      (orientation, format) = (header.orientation.rawValue, header.format.rawValue)
      (alpha, animated, frames) = (header.hasAlpha, header.isAnimated, header.frames)
      (bitsPerChannel, iccProfile) = (header.bitsPerChannel, header.hasICCProfile)
    case .failure(let failure):
      error = Failure(
        code: failure.code, message: failure.message, retryable: failure.isRetryable)
    }
  }

  /// The displayed size in pixels, and the name of the format; nil if probing failed.
  var image: (width: Int, height: Int, format: String)? {
    guard let width, let height, let format else { return nil }
    return (width, height, format)
  }

  /// Why probing failed; nil if it did not.
  var problem: (code: String, message: String)? { error.map { ($0.code, $0.message) } }

  var json: [UInt8] { JSONCoding.text(self) }
}
