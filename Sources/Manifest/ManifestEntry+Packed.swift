internal import TesseraJSON

extension ManifestEntry {
  /// The entry and its position, to be read back by ``unpacked(_:)``.
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
          point.value(focus.x)
          point.value(focus.y)
        }
      } else {
        list.null()
      }
      // A user's null is not nothing.
      if let extra { list.value(extra) }
    }
    return writer.take()
  }

  /// Nil for anything but what ``packed(position:)`` has made.
  package static func unpacked(_ bytes: [UInt8]) -> (ManifestEntry, position: Int)? {
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
