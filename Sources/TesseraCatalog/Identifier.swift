/// The id of a picture as a key: ids are the same where their bytes are. Strings are the same already where they look
/// alike (U+00E9, and U+0065 U+0301).
struct Identifier: Hashable {
  let text: String

  init(_ text: String) { self.text = text }

  static func == (one: Identifier, other: Identifier) -> Bool {
    one.text.utf8.elementsEqual(other.text.utf8)
  }

  func hash(into hasher: inout Hasher) {
    for byte in text.utf8 { hasher.combine(byte) }
  }
}
