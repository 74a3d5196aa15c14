package import TesseraSystem

/// Why an object store did not do what it was asked.
package struct StoreError: ReportedError, Sendable, Equatable, CustomStringConvertible {
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
    case rejected
    /// The server, or the way there; the request was tried several times.
    case unreachable
    /// The time that the request had is over. It may have been done.
    case late
    /// Another process has taken over what this one held.
    case lost
  }

  package var kind: Kind
  package var location: StoreLocation
  /// Completes a sentence that begins with the location.
  package var finding: String

  package init(kind: Kind, location: StoreLocation, finding: String) {
    (self.kind, self.location, self.finding) = (kind, location, finding)
  }

  /// Whether an earlier request may have done what this one found done, or in its way. Its number says nothing: libcurl
  /// sends a request again by itself if a connection that was kept open ends before the answer.
  var isInTheWay: Bool { kind == .condition || kind == .missing }

  package var description: String { "\"\(location)\" \(finding)" }

  package var report: TesseraError { asSystemError.report }

  /// As an output reports it.
  package var asSystemError: SystemError { .store("\(location)", finding, kind.code) }
}

extension StoreError.Kind {
  fileprivate var code: SystemError.StoreKind {
    switch self {
    case .missing: .missing
    case .condition: .existing
    case .unsupported: .unsupported
    case .lost: .lost
    case .unreachable, .late: .unreachable
    case .behindEnd, .rejected: .other
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
  /// When it has to be done; nil for any time.
  var deadline: ContinuousClock.Instant?
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
