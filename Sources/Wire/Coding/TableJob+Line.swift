internal import TesseraCatalog
internal import TesseraJSON
internal import TesseraPlan

extension TableJob {
  package var line: [UInt8] {
    WireLine.object { object in
      object.member("table", pixels.rawValue)
      object.member("job", identifier)
      object.member("rowBytes", rowBytes)
      object.member("entryBytes", entryBytes)
      object.member("background", background.hexadecimal)
      object.member("maximumPixels", maximumPixels)
      if let atlas {
        object.name("atlas")
        object.object { object in
          object.member("width", atlas.size.width)
          object.member("height", atlas.size.height)
          object.member("quality", atlas.quality)
          object.member("effort", atlas.effort)
        }
      }
      object.name("entries")
      object.array { list in
        for entry in entries { list.object { entry.write(to: &$0) } }
      }
    }
  }

  init(_ message: Message) throws(WireError) {
    guard let background = Colour(hexadecimal: try message.string("background")) else {
      throw WireError(message: "\"background\" is missing or invalid")
    }
    var entries: [Entry] = []
    for entry in try message.objects("entries") { entries.append(try Entry(entry)) }
    self.init(
      identifier: try message.int("job"), pixels: try message.choice("table"),
      rowBytes: try message.int("rowBytes"), entryBytes: try message.int("entryBytes"),
      background: background,
      atlas: message.value["atlas"] == nil ? nil : try Atlas(message.object("atlas")),
      maximumPixels: try message.int("maximumPixels"), entries: entries)
  }
}

extension TableJob.Entry {
  fileprivate func write(to object: inout JSONWriter) {
    object.member("offset", offset)
    object.member("length", length)
    object.member("format", format)
    object.member("width", size.width)
    object.member("height", size.height)
    object.member("x", x)
    object.member("y", y)
  }

  fileprivate init(_ message: Message) throws(WireError) {
    self.init(
      offset: try message.int("offset"), length: try message.int("length"),
      format: try message.string("format"),
      size: Size(try message.int("width"), try message.int("height")))
    (x, y) = (try message.int("x"), try message.int("y"))
  }
}

extension TableJob.Atlas {
  fileprivate init(_ message: Message) throws(WireError) {
    self.init(
      size: Size(try message.int("width"), try message.int("height")),
      quality: try message.int("quality"), effort: try message.int("effort"))
  }
}
