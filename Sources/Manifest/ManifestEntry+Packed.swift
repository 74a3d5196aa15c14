internal import TesseraJSON

extension ManifestEntry {
  /// The entry and its position as bytes, which ``unpacked(_:)`` reads back.
  package func packed(position: Int) -> [UInt8] {
    var writer = JSONWriter()
    writer.object { object in
      object.member("position", position)
      object.member("line", line)
      object.member("id", id)
      object.member("url", url)
      if slots != nil {
        object.name("slots")
        writeSlots(to: &object)
      }
      if let focus {
        object.name("focus")
        object.array { point in
          // With all digits: the writer's own spelling of a double has three decimals, and another
          // focus is another entry.
          point.value(json: "\(focus.x)")
          point.value(json: "\(focus.y)")
        }
      }
      if let extra {
        object.name("extra")
        object.value(json: extra)
      }
    }
    return writer.take()
  }

  /// Nil for bytes that ``packed(position:)`` did not make.
  package static func unpacked(_ bytes: [UInt8]) -> (ManifestEntry, position: Int)? {
    // Bytes that are not JSON are not packed either, so the parser's error adds nothing.
    guard let (parts, extra) = try? JSONParser.parse(bytes, keepingText: "extra"),
      let position = parts["position"]?.intValue, let line = parts["line"]?.intValue,
      let id = parts["id"]?.stringValue, let url = parts["url"]?.stringValue
    else { return nil }
    let slots = parts["slots"]?.arrayValue?.compactMap(\.stringValue)
    let point = parts["focus"]?.arrayValue?.compactMap(\.doubleValue)
    let focus = point.flatMap { $0.count == 2 ? Focus(x: $0[0], y: $0[1]) : nil }
    return (
      ManifestEntry(line: line, id: id, url: url, slots: slots, focus: focus, extra: extra),
      position
    )
  }
}
