extension JSONValue {
  /// The value on one line of YAML (1.1, section 7.4), for a pipeline file: `{url: [image_link, more], id: "a: b"}`. Texts of
  /// plain characters have no quotes, and others are those of JSON, which YAML reads as well.
  package var yaml: String {
    switch self {
    case .object(let members):
      return "{" + members.map { "\($0.name): \($0.value.yaml)" }.joined(separator: ", ") + "}"
    case .array(let values): return "[" + values.map(\.yaml).joined(separator: ", ") + "]"
    case .string(let text)
    where text.wholeMatch(of: /[A-Za-z0-9\/]([A-Za-z0-9_ .\/-]*[A-Za-z0-9_.\/-])?/) != nil:
      return text
    default:
      var writer = JSONWriter()
      writer.value(self)
      return writer.text
    }
  }
}
