internal import TesseraJSON
internal import TesseraPlan

extension AutomaticQuality {
  func write(to object: inout JSONWriter) {
    object.member("target", target)
    object.member("least", range.lowerBound)
    object.member("most", range.upperBound)
  }

  init(_ message: Message) throws(WireError) {
    let (least, most) = (try message.int("least"), try message.int("most"))
    guard 1 <= least, least <= most, most <= 100 else {
      throw WireError(message: "\"automatic\" is invalid")
    }
    self.init(target: try message.int("target"), range: least...most)
  }
}

extension FoundQuality {
  func write(to object: inout JSONWriter) {
    object.member("quality", quality)
    object.member("score", score)
    object.member("worstTile", worstTile)
    object.member("width", size.width)
    object.member("height", size.height)
    object.member("encodes", encodes)
    object.member("graphic", isGraphic)
  }

  init(_ message: Message) throws(WireError) {
    self.init(
      quality: try message.int("quality"), score: try message.double("score"),
      worstTile: try message.double("worstTile"),
      size: Size(try message.int("width"), try message.int("height")),
      encodes: try message.int("encodes"), isGraphic: try message.bool("graphic"))
    guard isPossible else { throw WireError(message: "a quality is impossible") }
  }
}
