/// The id of an image as a key. Identifiers are equal if their bytes are.
///
/// Strings compare by canonical equivalence instead: U+00E9 equals U+0065 U+0301. The manifest treats
/// these as two ids.
struct Identifier: Hashable {
  let text: String

  init(_ text: String) { self.text = text }

  static func == (one: Identifier, other: Identifier) -> Bool {
    one.text.utf8.elementsEqual(other.text.utf8)
  }

  func hash(into hasher: inout Hasher) {
    // All bytes at once: one by one they take most of the time of a lookup.
    var text = text
    text.withUTF8 { bytes in unsafe hasher.combine(bytes: UnsafeRawBufferPointer(bytes)) }
  }
}
