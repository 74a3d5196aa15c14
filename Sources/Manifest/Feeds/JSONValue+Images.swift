internal import TesseraJSON

extension JSONValue {
  /// The members of a name; several of XML are an array.
  func all(_ name: String) -> [JSONValue] {
    guard let value = self[name] else { return [] }
    return value.arrayValue ?? [value]
  }

  func texts(_ path: String) -> [String] { MemberPath(path)?.texts(in: self) ?? [] }

  /// The image whose URL a path leads to, with the first text about it.
  func image(_ url: String, alt: [String]) -> (url: String, alt: String?)? {
    guard let url = texts(url).first else { return nil }
    return (url, alt.flatMap(texts).first { !$0.isEmpty })
  }
}
