internal import TesseraJSON

/// The framing of messages: each is a JSON object on a line of its own, `{"job":7,"message":…}` in this order and without
/// spaces, with the number of the job that it is about. `"bytes":9,` before the message says how many bytes follow the line.
///
/// `Messages.jsonl` has one of each with all its members; ``WorkerCapabilities/protocolVersion`` is made from it.
package enum WireLine {
  /// 4 MiB, of a line and of the bytes behind it: a job has a line or two for each variant.
  package static let maximumLength = 4 << 20

  package static func line(_ message: some Encodable, job: Int = 0, bytes: Int = 0) -> [UInt8] {
    line(text(of: message), job: job, bytes: bytes)
  }

  static func line(_ text: [UInt8], job: Int, bytes: Int) -> [UInt8] {
    let start =
      bytes == 0 ? #"{"job":\#(job),"message":"# : #"{"job":\#(job),"bytes":\#(bytes),"message":"#
    return Array(start.utf8) + text + Array("}\n".utf8)
  }

  /// The JSON of a message.
  static func text(of message: some Encodable) -> [UInt8] {
    // What cannot be encoded, such as a number that is not finite, is received as an invalid message.
    let value = try? JSONCoding.json(message)
    var writer = JSONWriter()
    writer.value(value ?? .null)
    return writer.take()
  }

  /// Reads a message, and the number of its job.
  package static func message<Message: Decodable>(
    _ type: Message.Type, _ line: [UInt8]
  ) throws(WireError) -> (message: Message, job: Int) {
    let frame = try WireFrame(line)
    return (try frame.message(type), frame.job)
  }
}

/// The parts of a line.
package struct WireFrame: Sendable, Equatable {
  package let job: Int
  /// How many bytes follow the line.
  package let bytes: Int
  /// The JSON of the message.
  let text: [UInt8]

  /// - Parameter line: without its line feed.
  package init(_ line: [UInt8]) throws(WireError) {
    var rest = line[...]
    guard let job = rest.removeNumber(after: #"{"job":"#) else { throw .noMessage }
    bytes = rest.removeNumber(after: #","bytes":"#) ?? 0
    guard rest.removeFirst(#","message":"#), rest.last == UInt8(ascii: "}") else {
      throw .noMessage
    }
    self.job = job
    text = Array(rest.dropLast())
  }

  package func message<Message: Decodable>(_ type: Message.Type) throws(WireError) -> Message {
    let json: JSONValue
    do throws(JSONError) {
      json = try JSONParser.parse(text)
    } catch {
      throw WireError(message: "not JSON: \(error.message)")
    }
    do {
      return try JSONCoding.value(type, of: json)
    } catch let error as DecodingError {
      throw WireError(message: error.sentence)
    } catch {
      throw WireError(message: "\(error)")
    }
  }
}

/// The last request that was written or read. Images of one size differ in their bytes alone: their request is neither
/// written nor read again.
package struct LastRequest: Sendable {
  private var last: (request: WorkerRequest, text: [UInt8])?

  package init() {}

  /// The line of a request.
  package mutating func line(_ request: WorkerRequest, job: Int, bytes: Int) -> [UInt8] {
    let text: [UInt8]
    if let last, last.request == request {
      text = last.text
    } else {
      text = WireLine.text(of: request)
    }
    last = (request, text)
    return WireLine.line(text, job: job, bytes: bytes)
  }

  package mutating func request(in frame: WireFrame) throws(WireError) -> WorkerRequest {
    if let last, last.text == frame.text { return last.request }
    let request = try frame.message(WorkerRequest.self)
    last = (request, frame.text)
    return request
  }
}

extension WorkerReply {
  package func line(for job: Int, bytes: Int = 0) -> [UInt8] {
    WireLine.line(self, job: job, bytes: bytes)
  }

  /// - Throws: ``WireError`` also if the reply is to another job, or an impossible one.
  package init(_ frame: WireFrame, for job: Int) throws(WireError) {
    // A late reply to an earlier job must not count as the reply to this one.
    guard frame.job == job else { throw WireError(message: "a reply to another job") }
    self = try frame.message(WorkerReply.self)
    try check()
  }
}

/// A line that is not a valid message.
package struct WireError: Error, Sendable, Equatable {
  /// What is wrong with it, without a full stop.
  package var message: String

  static let noMessage = WireError(message: "not a message")
}

extension ArraySlice<UInt8> {
  /// Removes a text at the start. False, without a change, if it is not there.
  fileprivate mutating func removeFirst(_ text: StaticString) -> Bool {
    let length = text.utf8CodeUnitCount
    let isThere = count >= length && text.withUTF8Buffer { starts(with: $0) }
    if isThere { self = dropFirst(length) }
    return isThere
  }

  /// Removes a text and the number behind it. Nil, without a change, if they are not there.
  fileprivate mutating func removeNumber(after text: StaticString) -> Int? {
    var rest = self
    guard rest.removeFirst(text) else { return nil }
    // Eighteen digits always fit.
    let digits = rest.prefix(18).prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    guard !digits.isEmpty else { return nil }
    self = rest.dropFirst(digits.count)
    return digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
  }
}

extension DecodingError {
  /// Where the message is wrong: `"failed.code" is missing or invalid`.
  fileprivate var sentence: String {
    let context: Context
    switch self {
    case .typeMismatch(_, let found), .valueNotFound(_, let found), .keyNotFound(_, let found),
      .dataCorrupted(let found):
      context = found
    @unknown default: return "invalid"
    }
    // The names that Swift gives to the values of cases are of no interest.
    let path = context.codingPath.map(\.stringValue).filter { $0 != "_0" }
    return path.isEmpty
      ? WireError.noMessage.message : "\"\(path.joined(separator: "."))\" is missing or invalid"
  }
}
