package import TesseraSystem
internal import TesseraText

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

/// What an answer of an object store means for its request. Pure.
enum StoreVerdict: Equatable {
  case done
  /// It may succeed if it is sent again.
  case again(String)
  case failed(StoreError.Kind, String)

  /// - Parameters:
  ///   - code: the element `Code` of an error's body, such as `NoSuchKey`; empty if there is none.
  ///   - message: its element `Message`.
  init(status: Int, code: String, message: String) {
    // Answers to HEAD have no body.
    let detail = code.isEmpty ? "\(status)" : "\(status) \(code)"
    let rest = message.isEmpty ? "" : " (\(message))"
    switch (status, code) {
    case (200..<300, _): self = .done
    case (_, "NoSuchBucket"):
      self = .failed(
        .rejected, "is in a bucket that does not exist; create it, or correct its name")
    case (404, _): self = .failed(.missing, "is not there")
    // Two conditional writes at the same time: neither may have won.
    case (409, "ConditionalRequestConflict"), (409, "OperationAborted"): self = .again(detail)
    case (412, _), (304, _): self = .failed(.condition, "is another object by now")
    case (416, _): self = .failed(.behindEnd, "is shorter than expected")
    case (501, _), (_, "NotImplemented"):
      self = .failed(
        .unsupported, "can't be changed like this: the store answered \(detail)\(rest)")
    case (_, "RequestTimeTooSkewed"):
      self = .failed(
        .rejected, "was rejected: the store answered \(detail); set this machine's clock")
    case (_, "SignatureDoesNotMatch"), (_, "InvalidAccessKeyId"), (_, "ExpiredToken"),
      (_, "InvalidToken"), (401, _):
      self = .failed(
        .rejected,
        "was rejected: the store answered \(detail)\(rest); check the credentials "
          + "(AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN) and the region")
    case (403, _):
      self = .failed(
        .rejected,
        "was rejected: the store answered \(detail)\(rest); check the credentials and their rights, "
          + "and this machine's clock")
    case (300..<400, _):
      self = .failed(
        .rejected,
        "is elsewhere: the store answered \(detail); check the region (AWS_REGION) and the endpoint "
          + "(AWS_ENDPOINT_URL)")
    case (429, _), (500, _), (502...504, _), (_, "RequestTimeout"), (_, "SlowDown"):
      self = .again("the store answered \(detail)\(rest)")
    case _ where GatewayStatus.contains(status):
      self = .again("the store answered \(detail)\(rest)")
    default: self = .failed(.rejected, "was rejected: the store answered \(detail)\(rest)")
    }
  }

  init(_ response: StoreResponse) {
    let body = response.status >= 300 ? String(decoding: response.body, as: UTF8.self) : ""
    self.init(
      status: response.status, code: StoreXML.texts(of: "Code", in: body[...]).first ?? "",
      message: StoreXML.texts(of: "Message", in: body[...]).first ?? "")
  }
}

/// The answers of an object store: XML of a few flat elements. Only the text of elements is read, and
/// none is nested in one of its own name, so no parser of a whole document is needed.
enum StoreXML {
  /// The text of each element with a name, in order.
  static func texts(of name: String, in text: Substring) -> [String] {
    elements(name, in: text).map { unescaped($0) }
  }

  /// The inside of each element with a name, in order.
  static func elements(_ name: String, in text: Substring) -> [Substring] {
    var found: [Substring] = []
    var rest = text
    while let start = rest.firstTag(name) {
      let inside = rest[start.upperBound...]
      guard let end = inside.firstPlace(of: "</\(name)>") else { break }
      found.append(inside[..<end.lowerBound])
      rest = inside[end.upperBound...]
    }
    return found
  }

  private static let entities = [
    ("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&apos;", "'"), ("&amp;", "&"),
  ]

  private static func unescaped(_ text: Substring) -> String {
    let (start, end) = ("<![CDATA[", "]]>")
    if text.begins(with: start), text.hasSuffix(end) {
      return String(text.dropFirst(start.count).dropLast(end.count))
    }
    guard text.utf8.contains(UInt8(ascii: "&")) else { return String(text) }
    var result = ""
    var rest = text
    while let start = rest.firstIndex(of: "&") {
      result += rest[..<start]
      rest = rest[start...]
      if let (entity, character) = entities.first(where: { rest.begins(with: $0.0) }) {
        result += character
        rest = rest.dropFirst(entity.count)
      } else if rest.hasPrefix("&#"), let end = rest.firstIndex(of: ";"),
        let scalar = scalar(rest[rest.index(rest.startIndex, offsetBy: 2)..<end])
      {
        result.unicodeScalars.append(scalar)
        rest = rest[rest.index(after: end)...]
      } else {
        result += "&"
        rest = rest.dropFirst()
      }
    }
    return result + rest
  }

  /// `39` or `x27`.
  private static func scalar(_ digits: Substring) -> Unicode.Scalar? {
    let number = digits.hasPrefix("x") ? UInt32(digits.dropFirst(), radix: 16) : UInt32(digits)
    return number.flatMap(Unicode.Scalar.init)
  }
}

extension Substring {
  /// The opening tag of an element, which may have attributes.
  fileprivate func firstTag(_ name: String) -> Range<Index>? {
    var rest = self
    while let start = rest.firstPlace(of: "<\(name)") {
      let behind = rest[start.upperBound...]
      guard let next = behind.first else { return nil }
      if next == ">" || next == " " {
        guard let end = behind.firstIndex(of: ">") else { return nil }
        return start.lowerBound..<index(after: end)
      }
      rest = behind
    }
    return nil
  }

  fileprivate func firstPlace(of text: String) -> Range<Index>? {
    let (bytes, wanted) = (utf8, Array(text.utf8))
    var start = bytes.startIndex
    while let next = bytes[start...].firstIndex(of: wanted[0]) {
      if bytes[next...].starts(with: wanted) {
        return next..<bytes.index(next, offsetBy: wanted.count)
      }
      start = bytes.index(after: next)
    }
    return nil
  }
}
