package import TesseraImageHeader

/// The answer for one probed source.
package struct ProbeAnswer: Sendable {
  /// The source as requested, without the user and password of a URL.
  package var source: String
  package var result: Result<ImageHeader, ProbeFailure>
  /// The bytes read and the HTTP requests sent.
  package var bytesRead = 0
  package var requests = 0

  static func result(_ reading: HeaderReading) -> Result<ImageHeader, ProbeFailure> {
    switch reading {
    case .header(let header): .success(header)
    case .rejected(let rejection):
      .failure(
        ProbeFailure(code: rejection.kind.rawValue, message: "The file is \(rejection.reason)."))
    case .needs:
      .failure(
        ProbeFailure(
          code: HeaderRejection.Kind.malformed.rawValue,
          message: "The file's header does not end within the bytes that may be read."))
    }
  }
}

/// Why a size could not be determined.
package struct ProbeFailure: Error, Sendable {
  /// One of the catalog's error codes.
  package var code: String
  /// A sentence with its capital and full stop.
  package var message: String
  package var isRetryable = false

  /// Of a URL without a host, or of what is not a URL at all.
  package static let badURL = ProbeFailure(
    code: "bad-url", message: "The URL must begin with http:// or https:// and a host.")

  package init(code: String, message: String, isRetryable: Bool = false) {
    self.code = code
    self.message = message
    self.isRetryable = isRetryable
  }
}
