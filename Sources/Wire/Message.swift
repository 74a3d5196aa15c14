internal import TesseraJSON

/// The framing of messages: each is a JSON object on a line of its own.
package enum WireLine {
  /// 4 MiB: a job has a line or two for each variant.
  package static let maximumLength = 4 << 20

  /// A line with the members that `body` writes.
  static func object(_ body: (inout JSONWriter) -> Void) -> [UInt8] {
    var writer = JSONWriter()
    writer.object(body)
    return writer.take() + [UInt8(ascii: "\n")]
  }
}

/// A line that is not a valid message.
package struct WireError: Error, Sendable, Equatable {
  /// What is wrong with it, without a full stop.
  package var message: String
}

/// A received JSON object whose members must exist and have the expected type.
struct Message {
  let value: JSONValue

  init(_ line: [UInt8]) throws(WireError) {
    let value: JSONValue
    do throws(JSONError) {
      value = try JSONParser.parse(line)
    } catch {
      throw WireError(message: "not JSON: \(error.message)")
    }
    try self.init(value)
  }

  private init(_ value: JSONValue) throws(WireError) {
    guard case .object = value else { throw WireError(message: "not a JSON object") }
    self.value = value
  }

  private func require<Value>(_ name: String, _ found: Value?) throws(WireError) -> Value {
    guard let found else { throw WireError(message: "\"\(name)\" is missing or invalid") }
    return found
  }

  func int(_ name: String) throws(WireError) -> Int { try require(name, value[name]?.intValue) }
  func double(_ name: String) throws(WireError) -> Double {
    try require(name, value[name]?.doubleValue)
  }

  func bool(_ name: String) throws(WireError) -> Bool { try require(name, value[name]?.boolValue) }

  func string(_ name: String) throws(WireError) -> String {
    try require(name, value[name]?.stringValue)
  }

  /// A string that is the raw value of an enum.
  func choice<Choice: RawRepresentable>(
    _ name: String
  ) throws(WireError) -> Choice where Choice.RawValue == String {
    try require(name, Choice(rawValue: try string(name)))
  }

  func object(_ name: String) throws(WireError) -> Message {
    try Message(try require(name, value[name]))
  }

  /// Lengths in bytes, each at most 4 GiB, so that their sum cannot overflow.
  func lengths(_ name: String) throws(WireError) -> [Int] {
    var lengths: [Int] = []
    for value in try require(name, value[name]?.arrayValue) {
      let length = value.intValue.flatMap { (0...1 << 32).contains($0) ? $0 : nil }
      lengths.append(try require(name, length))
    }
    return lengths
  }

  func objects(_ name: String) throws(WireError) -> [Message] {
    var messages: [Message] = []
    for value in try require(name, value[name]?.arrayValue) { messages.append(try Message(value)) }
    return messages
  }
}
