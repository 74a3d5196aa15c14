internal import TesseraJSON
internal import TesseraPlaceholder
internal import TesseraPlan

extension TranscodeJob {
  package var line: [UInt8] {
    WireLine.object { object in
      object.member("job", identifier)
      object.member("format", format)
      object.name("expected")
      object.object { expected.write(to: &$0) }
      object.name("base")
      object.array { list in
        list.value(decode.base.width)
        list.value(decode.base.height)
      }
      object.member("animated", decode.isAnimated)
      object.member("keepsProfile", decode.keepsProfile)
      object.member("lanes", decode.lanes.rawValue)
      object.member("failOn", failOn.rawValue)
      object.member("maximumPixels", maximumPixels)
      object.member("maximumFrames", maximumFrames)
      object.name("files")
      object.array { list in
        for file in files { list.object { file.write(to: &$0) } }
      }
      object.name("placeholders")
      object.array { list in for kind in placeholders { list.value(kind.rawValue) } }
    }
  }

  package init(line: [UInt8]) throws(WireError) { try self.init(Message(line)) }

  init(_ message: Message) throws(WireError) {
    var files: [PlannedFile] = []
    for file in try message.objects("files") { files.append(try PlannedFile(file)) }
    let base = message.value["base"]?.arrayValue?.compactMap(\.intValue) ?? []
    guard base.count == 2, base[0] > 0, base[1] > 0 else {
      throw WireError(message: "\"base\" is missing or invalid")
    }
    let names = message.value["placeholders"]?.arrayValue?.compactMap(\.stringValue)
    guard let placeholders = names?.compactMap(Placeholders.Kind.init),
      placeholders.count == names?.count
    else { throw WireError(message: "\"placeholders\" is missing or invalid") }
    self.init(
      identifier: try message.int("job"), format: try message.string("format"),
      expected: try SourceFacts(message.object("expected")),
      decode: DecodePlan(
        base: Size(base[0], base[1]), isAnimated: try message.bool("animated"),
        keepsProfile: try message.bool("keepsProfile"), lanes: try message.choice("lanes")),
      failOn: try message.choice("failOn"),
      maximumPixels: try message.int("maximumPixels"),
      maximumFrames: try message.int("maximumFrames"), files: files, placeholders: placeholders)
  }
}

extension PlannedFile {
  fileprivate func write(to object: inout JSONWriter) {
    object.member("width", size.width)
    object.member("height", size.height)
    if let crop {
      object.name("crop")
      object.object { crop.write(to: &$0) }
    }
    object.member("format", encoding.format.rawValue)
    if let quality = encoding.quality {
      object.member("quality", quality)
    } else if let automatic = encoding.automatic {
      object.name("automatic")
      object.object { automatic.write(to: &$0) }
    }
    if let effort = encoding.effort { object.member("effort", effort) }
    if let quality = encoding.alphaQuality { object.member("alphaQuality", quality) }
    if let background = encoding.background {
      object.member("background", background.hexadecimal)
    }
    object.member("animated", encoding.isAnimated)
    object.member("metadata", encoding.metadata.rawValue)
  }

  fileprivate init(_ message: Message) throws(WireError) {
    let crop: Crop? = message.value["crop"] == nil ? nil : try Crop(message.object("crop"))
    self.init(
      crop: crop, size: Size(try message.int("width"), try message.int("height")),
      encoding: Encoding(
        format: try message.choice("format"), quality: message.value["quality"]?.intValue,
        automatic: message.value["automatic"] == nil
          ? nil : try AutomaticQuality(message.object("automatic")),
        effort: message.value["effort"]?.intValue,
        alphaQuality: message.value["alphaQuality"]?.intValue,
        background: message.value["background"]?.stringValue.flatMap { Colour(hexadecimal: $0) },
        isAnimated: try message.bool("animated"),
        metadata: MetadataPolicy(rawValue: try message.int("metadata"))),
      // A worker makes the planned file; why the plan deviates from the request is not its business.
      fallback: nil)
  }
}

extension Crop {
  /// A crop has either a position (`x`, `y`) or a strategy to find one (`find`).
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
    self.init(size, .found(try message.choice("find")))
  }
}
