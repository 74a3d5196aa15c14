internal import TesseraJSON
internal import TesseraPlan

extension ComparisonJob {
  package var line: [UInt8] {
    WireLine.object { object in
      object.member("compare", true)
      object.member("job", identifier)
      object.member("width", size.width)
      object.member("height", size.height)
      for (name, image) in [("reference", reference), ("candidate", candidate)] {
        object.name(name)
        object.object { object in
          object.member("length", image.length)
          object.member("format", image.format)
        }
      }
    }
  }

  init(_ message: Message) throws(WireError) {
    self.init(
      identifier: try message.int("job"),
      size: Size(try message.int("width"), try message.int("height")),
      reference: try Image(message.object("reference")),
      candidate: try Image(message.object("candidate")))
  }
}

extension ComparisonJob.Image {
  fileprivate init(_ message: Message) throws(WireError) {
    self.init(length: try message.int("length"), format: try message.string("format"))
  }
}

extension Likeness {
  func write(to object: inout JSONWriter) {
    object.member("score", score)
    object.name("worstTile")
    object.object { object in
      object.member("score", worstTile.score)
      object.member("x", worstTile.x)
      object.member("y", worstTile.y)
      object.member("width", worstTile.size.width)
      object.member("height", worstTile.size.height)
    }
  }

  init(_ message: Message) throws(WireError) {
    let tile = try message.object("worstTile")
    self.init(
      score: try message.double("score"),
      worstTile: Tile(
        score: try tile.double("score"), x: try tile.int("x"), y: try tile.int("y"),
        size: Size(try tile.int("width"), try tile.int("height"))))
  }
}
