internal import TesseraJSON

/// The framing of messages: each is a JSON object on a line of its own.
///
/// `Messages.jsonl` has one of each with all its members; ``WorkerHello/protocolVersion`` is made from it.
package enum WireLine {
  /// 4 MiB: a job has a line or two for each variant.
  package static let maximumLength = 4 << 20

  /// A message, with the number of the job that it is about.
  package static func line(_ message: some Encodable, job: Int = 0) -> [UInt8] {
    // What cannot be encoded, such as a number that is not finite, is received as an invalid message.
    let value = try? JSONCoding.json(Envelope(job: job, message: message))
    var writer = JSONWriter()
    writer.value(value ?? .null)
    return writer.take() + [UInt8(ascii: "\n")]
  }

  /// Reads a message, and the number of its job.
  package static func message<Message: Decodable>(
    _ type: Message.Type, _ line: [UInt8]
  ) throws(WireError) -> (message: Message, job: Int) {
    let json: JSONValue
    do throws(JSONError) {
      json = try JSONParser.parse(line)
    } catch {
      throw WireError(message: "not JSON: \(error.message)")
    }
    do {
      let envelope = try JSONCoding.value(Envelope<Message>.self, of: json)
      return (envelope.message, envelope.job)
    } catch let error as DecodingError {
      throw WireError(message: error.sentence)
    } catch {
      throw WireError(message: "\(error)")
    }
  }
}

private struct Envelope<Message> {
  var job: Int
  var message: Message
}

extension Envelope: Encodable where Message: Encodable {}
extension Envelope: Decodable where Message: Decodable {}

extension WorkerReply {
  package func line(for job: Int) -> [UInt8] { WireLine.line(self, job: job) }

  /// - Throws: ``WireError`` also if the reply is to another job, or an impossible one.
  package init(line: [UInt8], for job: Int) throws(WireError) {
    let (reply, replied) = try WireLine.message(WorkerReply.self, line)
    // A late reply to an earlier job must not count as the reply to this one.
    guard replied == job else { throw WireError(message: "a reply to another job") }
    try reply.check()
    self = reply
  }
}

/// A line that is not a valid message.
package struct WireError: Error, Sendable, Equatable {
  /// What is wrong with it, without a full stop.
  package var message: String
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
    // The envelope, and the names that Swift gives to the values of cases, are of no interest.
    let names = context.codingPath.map(\.stringValue).filter { $0 != "_0" }
    let path = names.count > 1 && names[0] == "message" ? names.dropFirst() : names[...]
    return path.isEmpty
      ? "not a message" : "\"\(path.joined(separator: "."))\" is missing or invalid"
  }
}
