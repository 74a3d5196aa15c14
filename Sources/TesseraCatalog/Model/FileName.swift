/// The names of files: `variants/3f/9c/3f9c…-192x256-5b1d04e9-8c22….webp`, with a digest of the source and of how it is decoded, the
/// size, a digest of the crop, which most do not have, and one of the recipe: all that is declared and shapes the bytes of the
/// format but size and crop. So a name is known before the work, and what would change an image changes its name.
package enum FileName {
  package static let folder = "variants"
  package static let sourceDigits = 32
  package static let cropDigits = 8
  package static let recipeDigits = 16

  package static func path(
    source: String, width: Int, height: Int, crop: String?, recipe: String, fileExtension: String
  ) -> String {
    path(
      name: "\(source)-\(width)x\(height)\(crop.map { "-\($0)" } ?? "")-\(recipe).\(fileExtension)")
  }

  /// The path of a file with such a name.
  package static func path(name: some StringProtocol) -> String {
    "\(folder)/\(name.prefix(2))/\(name.dropFirst(2).prefix(2))/\(name)"
  }

  /// What a path says.
  package struct Parts: Equatable {
    package var source: Substring
    package var width: Int
    package var height: Int
    package var crop: Substring?
    package var recipe: Substring
    package var fileExtension: Substring
  }

  /// Nil for a path of another form. By bytes: a slash with a combining accent is another character than a slash.
  package static func parts(of path: String) -> Parts? {
    let folders = path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    guard folders.count == 4, folders[0].elementsEqual(folder.utf8), folders[3].count <= 120,
      let point = folders[3].lastIndex(of: UInt8(ascii: "."))
    else { return nil }
    let words = folders[3][..<point].split(
      separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
    guard words.count == 3 || words.count == 4 else { return nil }
    let sides = words[1].split(separator: UInt8(ascii: "x"), omittingEmptySubsequences: false)
    let (source, recipe) = (words[0], words[words.count - 1])
    let ending = folders[3][point...].dropFirst()
    guard isHexadecimal(source, sourceDigits), isHexadecimal(recipe, recipeDigits),
      words.count == 3 || isHexadecimal(words[2], cropDigits),
      folders[1].elementsEqual(source.prefix(2)),
      folders[2].elementsEqual(source.dropFirst(2).prefix(2)), sides.count == 2,
      sides.allSatisfy({ (1...9).contains($0.count) && $0.allSatisfy(isDigit) }),
      isExtension(ending), let width = Int(text(sides[0])), let height = Int(text(sides[1]))
    else { return nil }
    func text(_ part: Substring.UTF8View) -> Substring { path[part.startIndex..<part.endIndex] }
    return Parts(
      source: text(source), width: width, height: height,
      crop: words.count == 4 ? text(words[2]) : nil, recipe: text(recipe),
      fileExtension: text(ending))
  }

  static func isSource(_ text: String) -> Bool { isHexadecimal(text.utf8, sourceDigits) }
  static func isCrop(_ text: String) -> Bool { isHexadecimal(text.utf8, cropDigits) }
  static func isRecipe(_ text: String) -> Bool { isHexadecimal(text.utf8, recipeDigits) }
  static func isExtension(_ text: String) -> Bool { isExtension(text.utf8) }

  private static func isExtension(_ text: some Collection<UInt8>) -> Bool {
    (1...9).contains(text.count) && text.allSatisfy { isDigit($0) || (0x61...0x7A).contains($0) }
  }

  private static func isHexadecimal(_ text: some Collection<UInt8>, _ count: Int) -> Bool {
    text.count == count && text.allSatisfy { isDigit($0) || (0x61...0x66).contains($0) }
  }

  private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
}
