internal import TesseraJSON
internal import TesseraPlaceholder
internal import TesseraPlan

extension TranscodeReply {
  package func line(for identifier: Int) -> [UInt8] {
    WireLine.object { object in
      object.member("job", identifier)
      switch self {
      case .done(let result): result.write(to: &object)
      case .differs(let facts):
        object.name("differs")
        object.object { facts.write(to: &$0) }
      case .failed(let failure):
        object.name("failed")
        object.object { object in
          object.member("code", failure.code.rawValue)
          object.member("message", failure.message)
        }
      }
    }
  }

  /// - Throws: ``WireError`` also if the reply is to another job.
  package init(line: [UInt8], for identifier: Int) throws(WireError) {
    let message = try Message(line)
    // A late reply to an earlier job must not count as the reply to this one.
    guard try message.int("job") == identifier else {
      throw WireError(message: "a reply to another job")
    }
    if message.value["done"] != nil {
      self = .done(try TranscodeResult(message))
    } else if message.value["differs"] != nil {
      self = .differs(try SourceFacts(message.object("differs")))
    } else {
      self = .failed(try TranscodeFailure(message.object("failed")))
    }
  }
}

extension TranscodeResult {
  fileprivate func write(to object: inout JSONWriter) {
    object.name("done")
    object.object { facts.write(to: &$0) }
    object.name("placeholders")
    object.object { placeholders.write(to: &$0) }
    object.name("warnings")
    object.array { list in
      for warning in warnings { list.object { warning.write(to: &$0) } }
    }
    object.name("lengths")
    object.array { list in for length in lengths { list.value(length) } }
    if !qualities.isEmpty {
      object.name("qualities")
      object.array { list in for found in qualities { list.object { found.write(to: &$0) } } }
    }
    if !leftOut.isEmpty {
      object.name("leftOut")
      object.array { list in for position in leftOut { list.value(position) } }
    }
    guard let likeness else { return }
    object.name("likeness")
    object.object { likeness.write(to: &$0) }
  }

  fileprivate init(_ message: Message) throws(WireError) {
    var warnings: [SourceWarning] = []
    for warning in try message.objects("warnings") { warnings.append(try SourceWarning(warning)) }
    self.init(
      facts: try SourceFacts(message.object("done")),
      placeholders: Placeholders(try message.object("placeholders")), warnings: warnings,
      lengths: try message.lengths("lengths"))
    if message.value["qualities"] != nil {
      for found in try message.objects("qualities") { qualities.append(try FoundQuality(found)) }
    }
    if message.value["leftOut"] != nil { leftOut = try message.lengths("leftOut") }
    if message.value["likeness"] != nil { likeness = try Likeness(message.object("likeness")) }
  }
}

extension TranscodeFailure {
  fileprivate init(_ message: Message) throws(WireError) {
    let code: Code = try message.choice("code")
    // Only the coordinator cancels jobs.
    guard code != .cancelled else { throw WireError(message: "a worker cannot cancel a job") }
    self.init(code, try message.string("message"))
  }
}

extension Placeholders {
  fileprivate func write(to object: inout JSONWriter) {
    if let color { object.member("color", color) }
    if let thumbHash { object.member("thumbhash", thumbHash) }
    if let blurHash { object.member("blurhash", blurHash) }
    if let lqip { object.member("lqip", lqip) }
  }

  fileprivate init(_ message: Message) {
    self.init(
      color: message.value["color"]?.stringValue,
      thumbHash: message.value["thumbhash"]?.stringValue,
      blurHash: message.value["blurhash"]?.stringValue, lqip: message.value["lqip"]?.stringValue)
  }
}

extension SourceWarning {
  private enum Kind: String {
    case damaged
    case damagedProfile = "damaged-profile"
    case unusableProfile = "unusable-profile"
  }

  fileprivate func write(to object: inout JSONWriter) {
    switch self {
    case .damaged(let failOn, let detail):
      object.member("kind", Kind.damaged.rawValue)
      object.member("failOn", failOn.rawValue)
      object.member("detail", detail)
    case .damagedProfile: object.member("kind", Kind.damagedProfile.rawValue)
    case .unusableProfile(let detail):
      object.member("kind", Kind.unusableProfile.rawValue)
      object.member("detail", detail)
    }
  }

  fileprivate init(_ message: Message) throws(WireError) {
    let kind: Kind = try message.choice("kind")
    self =
      switch kind {
      case .damaged:
        .damaged(try message.choice("failOn"), detail: try message.string("detail"))
      case .damagedProfile: .damagedProfile
      case .unusableProfile: .unusableProfile(detail: try message.string("detail"))
      }
  }
}
