internal import TesseraCurl
package import TesseraSystem

/// Why an object store did not do what it was asked.
package struct StoreError: Error, Sendable, Equatable, CustomStringConvertible {
  package enum Kind: Sendable, Equatable {
    /// The object does not exist.
    case missing
    /// A condition did not hold: the object exists already, or is another one.
    case condition
    /// The object ends before the bytes that were requested.
    case behindEnd
    /// The server does not know the operation, or a condition.
    case unsupported
    /// Credentials, rights, the clock.
    case refused
    /// The server, or the way there; the request was tried several times.
    case unreachable
  }

  package var kind: Kind
  package var location: StoreLocation
  /// Completes a sentence that begins with the location.
  package var finding: String
  /// How often the request was sent.
  var attempts = 1

  /// Whether an earlier attempt may have done what this one found done, or in its way.
  var isAfterLoss: Bool { attempts > 1 && (kind == .condition || kind == .missing) }

  package var description: String { "\"\(location)\" \(finding)" }

  /// As an output reports it.
  package var asSystemError: SystemError { .store("\(location)", finding, kind.code) }
}

extension StoreError.Kind {
  fileprivate var code: SystemError.StoreKind {
    switch self {
    case .missing: .missing
    case .condition: .existing
    case .unsupported: .unsupported
    case .behindEnd, .refused, .unreachable: .other
    }
  }
}

/// A request as it is sent, without its signature.
struct StoreRequest {
  var method: String
  var location: StoreLocation
  var query: [(name: String, value: String)] = []
  /// Names in lower case.
  var headers: [(name: String, value: String)] = []
  var body: [UInt8] = []
  /// The answer's body may be this long, in bytes.
  var limit = 64 << 20
  /// The bytes of the object that are wanted; nil for all.
  var range: Range<Int>? {
    didSet { if let range { limit = range.count } }
  }
}

/// An answer, whatever its status.
struct StoreResponse {
  var headers = ResponseHeaders()
  var body: [UInt8] = []

  var status: Int { headers.status }
}
