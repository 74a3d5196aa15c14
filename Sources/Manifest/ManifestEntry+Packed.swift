internal import TesseraCatalog
internal import TesseraJSON

extension ManifestEntry {
  /// The entry and its position as bytes, which ``unpacked(_:)`` reads back.
  package func packed(position: Int) -> [UInt8] {
    var writer = JSONWriter()
    writer.object { object in
      object.member("position", position)
      write(to: &object, derivedID: true)
    }
    return writer.take()
  }

  /// Nil for bytes that ``packed(position:)`` did not make.
  package static func unpacked(_ bytes: [UInt8]) -> (ManifestEntry, position: Int)? {
    // Bytes that are not JSON are not packed either, so the parser's error adds nothing.
    guard let (parts, extra) = try? JSONParser.parse(bytes, keepingText: "extra"),
      let position = parts["position"]?.intValue, let entry = ManifestEntry(parts, extra: extra)
    else { return nil }
    return (entry, position)
  }

  /// All members, for ``init(_:extra:)``.
  ///
  /// - Parameter derivedID: whether an id that was derived from the URL is written, too.
  func write(to object: inout JSONWriter, derivedID: Bool) {
    object.member("line", line)
    if !hasNoID || derivedID { object.member("id", id) }
    object.member("url", url)
    if sharesID { object.member("shares", true) }
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
    if let alt { object.member("alt", alt) }
    if let views {
      object.name("views")
      object.value(json: "\(views)")
    }
    if let extra {
      object.name("extra")
      object.value(json: extra)
    }
    guard !others.list.isEmpty else { return }
    for isMapped in [false, true] {
      let members = others.list.filter { others.mapped.contains($0.name) == isMapped }
      if members.isEmpty { continue }
      object.name(isMapped ? Self.mapped : others.areOfJSON ? Self.othersOfJSON : Self.columns)
      object.object { list in
        for member in members { list.member(member.name, member.value) }
      }
    }
  }

  private static let (othersOfJSON, columns, mapped) = ("members", "columns", "mapped")

  /// Nil unless ``write(to:)`` made the members.
  init?(_ parts: JSONValue, extra: String?) {
    guard let line = parts["line"]?.intValue, let url = parts["url"]?.stringValue else {
      return nil
    }
    let point = parts["focus"]?.arrayValue?.compactMap(\.doubleValue)
    self.init(
      line: line, id: parts["id"]?.stringValue, url: url,
      slots: parts["slots"]?.arrayValue?.compactMap(\.stringValue),
      focus: point.flatMap { $0.count == 2 ? CatalogFocus(x: $0[0], y: $0[1]) : nil },
      alt: parts["alt"]?.stringValue, extra: extra)
    views = parts["views"]?.doubleValue
    sharesID = parts["shares"]?.boolValue == true
    for name in [Self.othersOfJSON, Self.columns, Self.mapped] {
      guard case .object(let list)? = parts[name] else { continue }
      others.list += list
      if name == Self.othersOfJSON { others.areOfJSON = true }
      if name == Self.mapped { others.mapped = Set(list.map(\.name)) }
    }
  }
}
