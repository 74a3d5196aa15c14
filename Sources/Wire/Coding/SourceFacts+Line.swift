internal import TesseraJSON
internal import TesseraPlan

extension SourceFacts {
  func write(to object: inout JSONWriter) {
    object.member("width", size.width)
    object.member("height", size.height)
    object.member("alpha", hasAlpha)
    object.member("frames", frames)
    if let colourSpace { object.member("colourSpace", colourSpace) }
    if let profile { object.member("profile", profile) }
  }

  init(_ message: Message) throws(WireError) {
    self.init(
      size: Size(try message.int("width"), try message.int("height")),
      hasAlpha: try message.bool("alpha"), frames: try message.int("frames"),
      colourSpace: message.value["colourSpace"]?.stringValue,
      profile: message.value["profile"]?.stringValue)
    guard isPossible else {
      throw WireError(message: "the facts of the source are out of range")
    }
  }
}
