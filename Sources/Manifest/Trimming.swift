extension StringProtocol {
  /// The text without spaces and tabs at both ends.
  var trimmed: String {
    let isBlank = { (character: Character) in character == " " || character == "\t" }
    let front = drop(while: isBlank)
    guard let last = front.lastIndex(where: { !isBlank($0) }) else { return "" }
    return String(front[...last])
  }
}
