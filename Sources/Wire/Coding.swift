internal import TesseraJSON
internal import TesseraPlaceholder
internal import TesseraPlan

/// The messages as lines of JSON. A line is at most ``WireLine/maximumLength`` bytes long.
package enum WireLine {
  /// 4 MiB: a job has a line or two for each variant.
  package static let maximumLength = 4 << 20
}

/// A line that is no message.
package struct WireError: Error, Sendable, Equatable {
  package var message: String
}

extension WorkerHello {
  package var line: [UInt8] {
    var writer = JSONWriter()
    writer.object { object in
      object.member("protocol", protocolVersion)
      object.member("libvips", libvips)
      object.member("landlock", confinement.landlock)
      object.member("seccomp", confinement.hasSeccomp)
    }
    return writer.take() + [UInt8(ascii: "\n")]
  }

  package init(line: [UInt8]) throws(WireError) {
    let message = try Message(line)
    self.init(
      protocolVersion: try message.int("protocol"), libvips: try message.string("libvips"),
      confinement: Confinement(
        landlock: try message.int("landlock"), hasSeccomp: try message.bool("seccomp")))
  }
}

extension TranscodeJob {
  package var line: [UInt8] {
    var writer = JSONWriter()
    writer.object { object in
      object.member("job", identifier)
      object.member("source", source)
      object.member("format", format)
      object.name("expected")
      expected.write(to: &object)
      object.name("base")
      object.array { list in
        list.value(decode.base.width)
        list.value(decode.base.height)
      }
      object.member("animated", decode.isAnimated)
      object.member("keepsProfile", decode.keepsProfile)
      object.member("failOn", failOn.rawValue)
      object.member("maximumPixels", maximumPixels)
      object.member("maximumFrames", maximumFrames)
      object.name("outputs")
      object.array { list in
        for output in outputs { output.write(to: &list) }
      }
    }
    return writer.take() + [UInt8(ascii: "\n")]
  }

  package init(line: [UInt8]) throws(WireError) {
    let message = try Message(line)
    var outputs: [Output] = []
    for output in try message.list("outputs") { outputs.append(try Output(output)) }
    let base = message.value["base"]?.arrayValue?.compactMap(\.intValue) ?? []
    guard base.count == 2, base[0] > 0, base[1] > 0 else {
      throw WireError(message: "no proper \"base\"")
    }
    guard let failOn = FailOn(rawValue: try message.string("failOn")) else {
      throw WireError(message: "no proper \"failOn\"")
    }
    self.init(
      identifier: try message.int("job"), source: try message.string("source"),
      format: try message.string("format"), expected: try SourceFacts(message.group("expected")),
      decode: DecodePlan(
        base: Size(base[0], base[1]), isAnimated: try message.bool("animated"),
        keepsProfile: try message.bool("keepsProfile")), failOn: failOn,
      maximumPixels: try message.int("maximumPixels"),
      maximumFrames: try message.int("maximumFrames"), outputs: outputs)
  }
}

extension TranscodeReply {
  package func line(for identifier: Int) -> [UInt8] {
    var writer = JSONWriter()
    writer.object { object in
      object.member("job", identifier)
      switch self {
      case .done(let facts, let placeholders, let warnings):
        object.name("done")
        facts.write(to: &object)
        object.name("placeholders")
        object.object { placeholders.write(to: &$0) }
        object.name("warnings")
        object.array { for warning in warnings { $0.value(warning) } }
      case .differs(let facts):
        object.name("differs")
        facts.write(to: &object)
      case .failed(let failure):
        object.name("failed")
        object.object { object in
          object.member("code", failure.code.rawValue)
          object.member("message", failure.message)
        }
      }
    }
    return writer.take() + [UInt8(ascii: "\n")]
  }

  /// - Throws: ``WireError`` also where the reply is to another job.
  package init(line: [UInt8], for identifier: Int) throws(WireError) {
    let message = try Message(line)
    guard try message.int("job") == identifier else {
      throw WireError(message: "a reply to another job")
    }
    if let facts = try? message.group("done") {
      var warnings: [String] = []
      for warning in try message.strings("warnings") { warnings.append(warning) }
      self = .done(
        try SourceFacts(facts), try Placeholders(message.group("placeholders")), warnings: warnings)
    } else if let facts = try? message.group("differs") {
      self = .differs(try SourceFacts(facts))
    } else {
      let failure = try message.group("failed")
      // "cancelled" is for the coordinator alone to say.
      guard let code = TranscodeFailure.Code(rawValue: try failure.string("code")),
        code != .cancelled
      else {
        throw WireError(message: "an unknown failure code")
      }
      self = .failed(TranscodeFailure(code, try failure.string("message")))
    }
  }
}

extension SourceFacts {
  fileprivate func write(to writer: inout JSONWriter) {
    writer.object { object in
      object.member("width", size.width)
      object.member("height", size.height)
      object.member("alpha", hasAlpha)
      object.member("frames", frames)
      if let colourSpace { object.member("colourSpace", colourSpace) }
      if let profile { object.member("profile", profile) }
    }
  }

  fileprivate init(_ message: Message) throws(WireError) {
    self.init(
      size: Size(try message.int("width"), try message.int("height")),
      hasAlpha: try message.bool("alpha"), frames: try message.int("frames"),
      colourSpace: try? message.string("colourSpace"), profile: try? message.string("profile"))
    guard isPossible else {
      throw WireError(message: "impossible facts of a source")
    }
  }
}

extension Placeholders {
  fileprivate func write(to object: inout JSONWriter) {
    if let color { object.member("color", color) }
    object.member("thumbhash", thumbHash)
    object.member("blurhash", blurHash)
    object.member("lqip", lqip)
  }

  fileprivate init(_ message: Message) throws(WireError) {
    self.init(
      color: message.value["color"]?.stringValue, thumbHash: try message.string("thumbhash"),
      blurHash: try message.string("blurhash"), lqip: try message.string("lqip"))
  }
}

extension TranscodeJob.Output {
  fileprivate func write(to writer: inout JSONWriter) {
    writer.object { object in
      object.member("path", path)
      object.member("width", file.size.width)
      object.member("height", file.size.height)
      if let crop = file.crop {
        object.name("crop")
        object.object { crop.write(to: &$0) }
      }
      let encoding = file.encoding
      object.member("format", encoding.format.rawValue)
      if let quality = encoding.quality { object.member("quality", quality) }
      if let effort = encoding.effort { object.member("effort", effort) }
      if let background = encoding.background {
        object.member("background", background.hexadecimal)
      }
      object.member("animated", encoding.isAnimated)
      object.member("metadata", encoding.metadata.rawValue)
    }
  }

  fileprivate init(_ message: Message) throws(WireError) {
    guard let format = OutputFormat(rawValue: try message.string("format")) else {
      throw WireError(message: "an unknown output format")
    }
    let crop: Crop? = message.value["crop"] == nil ? nil : try Crop(message.group("crop"))
    self.init(
      path: try message.string("path"),
      file: PlannedFile(
        crop: crop, size: Size(try message.int("width"), try message.int("height")),
        encoding: Encoding(
          format: format, quality: message.value["quality"]?.intValue,
          effort: message.value["effort"]?.intValue,
          background: message.value["background"]?.stringValue.flatMap {
            Colour(hexadecimal: $0)
          },
          isAnimated: try message.bool("animated"),
          metadata: MetadataPolicy(rawValue: try message.int("metadata"))),
        fallback: nil))
  }
}

extension Crop {
  fileprivate func write(to object: inout JSONWriter) {
    object.member("width", size.width)
    object.member("height", size.height)
    switch place {
    case .at(let x, let y):
      object.member("x", x)
      object.member("y", y)
    case .found(let interest): object.member("find", interest.rawValue)
    }
  }

  fileprivate init(_ message: Message) throws(WireError) {
    let size = Size(try message.int("width"), try message.int("height"))
    guard message.value["find"] != nil else {
      self.init(x: try message.int("x"), y: try message.int("y"), size: size)
      return
    }
    guard let interest = Interest(rawValue: try message.string("find")) else {
      throw WireError(message: "an unknown way to find a crop")
    }
    self.init(size, .found(interest))
  }
}

/// A JSON object whose members must be there and of their type.
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
    guard case .object = value else { throw WireError(message: "no object") }
    self.value = value
  }

  private func require<Value>(_ name: String, _ found: Value?) throws(WireError) -> Value {
    guard let found else { throw WireError(message: "no proper \"\(name)\"") }
    return found
  }

  func int(_ name: String) throws(WireError) -> Int { try require(name, value[name]?.intValue) }
  func bool(_ name: String) throws(WireError) -> Bool { try require(name, value[name]?.boolValue) }

  func string(_ name: String) throws(WireError) -> String {
    try require(name, value[name]?.stringValue)
  }

  func group(_ name: String) throws(WireError) -> Message {
    try Message(try require(name, value[name]))
  }

  func list(_ name: String) throws(WireError) -> [Message] {
    var messages: [Message] = []
    for value in try require(name, value[name]?.arrayValue) { messages.append(try Message(value)) }
    return messages
  }

  func strings(_ name: String) throws(WireError) -> [String] {
    var texts: [String] = []
    for value in try require(name, value[name]?.arrayValue) {
      texts.append(try require(name, value.stringValue))
    }
    return texts
  }
}
