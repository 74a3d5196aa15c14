internal import TesseraJSON

/// The keys of a file as manual text, from the file's JSON Schema, in which each key has a description.
struct KeyManual: Sendable {
  private let schema: JSONValue
  private let sections: [(title: String, keys: [String])]
  private let definitions: JSONValue?

  /// - Parameter sections: the keys at the top, each once.
  init(_ schema: JSONValue, sections: [(title: String, keys: [String])]) {
    (self.schema, self.sections) = (schema, sections)
    definitions = schema["$defs"]
  }

  func write(to page: inout ManualPage) {
    page.section("DESCRIPTION")
    page.paragraph(schema["description"]?.stringValue ?? "")
    for (title, names) in sections {
      page.section("KEYS: \(title.uppercased())")
      for name in names {
        if let key = schema["properties"]?[name] { write(key, named: name, to: &page) }
      }
    }
  }

  private func write(_ key: JSONValue, named name: String, to page: inout ManualPage) {
    let key = resolved(key)
    if let text = key["description"]?.stringValue {
      page.item(name, text + values(of: key) + Self.standard(of: key) + Self.effect(of: key))
    }
    let group = group(of: key)
    for member in Self.keys(of: group.schema) {
      write(member.value, named: "\(name)\(group.infix).\(member.name)", to: &page)
    }
  }

  /// The keys of a group, or those of each of its members, whose names are the user's.
  private func group(of key: JSONValue) -> (schema: JSONValue, infix: String) {
    if let each = key["additionalProperties"], each["type"] != nil || each["$ref"] != nil {
      return (resolved(each), ".NAME")
    }
    return (key, "")
  }

  /// The words that a key accepts, if these are all: ` One of fit, fill, clip.`
  private func values(of key: JSONValue) -> String {
    for choice in [key] + (key["anyOf"]?.arrayValue ?? []) {
      let words = resolved(choice)["enum"]?.arrayValue?.compactMap(\.stringValue) ?? []
      if words.count > 1 { return " One of \(words.joined(separator: ", "))." }
    }
    return ""
  }

  private static func standard(of key: JSONValue) -> String {
    guard let value = key["default"] else { return "" }
    var writer = JSONWriter()
    writer.value(value)
    let text = value.stringValue ?? String(decoding: writer.take(), as: UTF8.self)
    return text.isEmpty ? "" : " Default: \(text)."
  }

  /// What a change of the key costs, for one that shapes files or entries.
  private static func effect(of key: JSONValue) -> String {
    switch key["$comment"]?.stringValue {
    case "shapes: files": " A change makes the files again that it affects."
    case "shapes: entries": " A change renews the catalog's entries."
    default: ""
    }
  }

  private func resolved(_ key: JSONValue) -> JSONValue {
    guard let path = key["$ref"]?.stringValue, path.hasPrefix("#/$defs/"),
      let definition = definitions?[String(path.dropFirst(8))]
    else { return key }
    // What the reference comes with is about this use of it.
    guard case .object(let own) = key, case .object(let shared) = resolved(definition) else {
      return key
    }
    return .object(own + shared.filter { key[$0.name] == nil })
  }

  private static func keys(of schema: JSONValue) -> [JSONValue.Member] {
    guard case .object(let members)? = schema["properties"] else { return [] }
    return members
  }
}
