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
}

/// An answer, whatever its status.
struct StoreResponse {
  var headers = ResponseHeaders()
  var body: [UInt8] = []

  var status: Int { headers.status }
}
