internal import TesseraImageHeader
internal import TesseraJSON
internal import TesseraProbe

/// The answer for one probed source, as the command prints it.
package struct ProbeReport: Sendable {
  private let answer: Prober.Answer

  init(_ answer: Prober.Answer) { self.answer = answer }

  /// The source as it was named, without the user and password of a URL.
  package var source: String { answer.source }

  /// The displayed size in pixels, and the name of the format; nil if probing failed.
  package var image: (width: Int, height: Int, format: String)? {
    guard case .success(let header) = answer.result else { return nil }
    return (header.width, header.height, header.format.rawValue)
  }

  /// Why probing failed; nil if it did not.
  package var problem: (code: String, message: String)? {
    guard case .failure(let failure) = answer.result else { return nil }
    return (failure.code, failure.message)
  }

  /// One object on a line, as `probe --json` prints it.
  package var json: [UInt8] {
    var writer = JSONWriter()
    writer.object { object in
      object.member("source", answer.source)
      switch answer.result {
      case .success(let header): Self.write(header, to: &object)
      case .failure(let failure): Self.write(failure, to: &object)
      }
      object.member("bytesRead", answer.bytesRead)
      object.member("requests", answer.requests)
    }
    return writer.take() + [UInt8(ascii: "\n")]
  }

  private static func write(_ header: ImageHeader, to object: inout JSONWriter) {
    object.member("width", header.width)
    object.member("height", header.height)
    object.member("pixelWidth", header.pixelWidth)
    object.member("pixelHeight", header.pixelHeight)
    object.member("orientation", header.orientation.rawValue)
    object.member("format", header.format.rawValue)
    object.member("alpha", header.hasAlpha)
    if let isAnimated = header.isAnimated { object.member("animated", isAnimated) }
    if let frames = header.frames { object.member("frames", frames) }
    object.member("bitsPerChannel", header.bitsPerChannel)
    object.member("iccProfile", header.hasICCProfile)
  }

  private static func write(_ failure: Prober.Failure, to object: inout JSONWriter) {
    object.name("error")
    object.object { error in
      error.member("code", failure.code)
      error.member("message", failure.message)
      error.member("retryable", failure.isRetryable)
    }
  }
}
