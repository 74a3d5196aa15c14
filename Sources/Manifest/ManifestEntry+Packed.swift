internal import TesseraJSON

extension ManifestEntry {
  /// The entry and its position as bytes, which ``unpacked(_:)`` reads back.
  package func packed(position: Int) -> [UInt8] {
    var writer = JSONWriter()
    writer.array { list in
      list.value(position)
      list.value(line)
      list.value(id)
      list.value(url)
      writeSlots(to: &list)
      if let focus {
        list.array { point in
          // With all digits: the writer's own spelling of a double has three decimals, and another
          // focus is another entry.
          point.value(JSONValue.number("\(focus.x)"))
          point.value(JSONValue.number("\(focus.y)"))
        }
      } else {
        list.null()
      }
      // An `extra` of null differs from no `extra`.
      if let extra { list.value(extra) }
    }
    return writer.take()
  }

  /// Nil for bytes that ``packed(position:)`` did not make.
  package static func unpacked(_ bytes: [UInt8]) -> (ManifestEntry, position: Int)? {
    // The last part, `extra`, may be missing. Bytes that are not JSON are not packed either, so the
    // parser's error adds nothing.
    guard let parts = try? JSONParser.parse(bytes).arrayValue, (6...7).contains(parts.count),
      let position = parts[0].intValue, let line = parts[1].intValue,
      let id = parts[2].stringValue, let url = parts[3].stringValue
    else { return nil }
    let slots = parts[4].arrayValue?.compactMap(\.stringValue)
    let point = parts[5].arrayValue?.compactMap(\.doubleValue)
    let focus = point.flatMap { $0.count == 2 ? Focus(x: $0[0], y: $0[1]) : nil }
    let extra = parts.count == 7 ? parts[6] : nil
    return (
      ManifestEntry(line: line, id: id, url: url, slots: slots, focus: focus, extra: extra),
      position
    )
  }
}
