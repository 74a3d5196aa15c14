internal import TesseraCatalog
internal import TesseraSystem

/// The names of a catalog's slots as constants for an app's code, so that a misspelt name does not compile.
final class SlotConstants: Exporting {
  enum Language {
    case swift, typescript, kotlin
  }

  private let text: String
  private let file: File

  /// - Throws: ``OutputToolError`` if a slot has a name that no pipeline has, or `SystemError`.
  init(_ context: ExportContext, _ language: Language) throws {
    text = try Self.text(of: context.slots, language)
    file = try File(context.target, .create)
  }

  var needsImages: Bool { false }

  func add(_ image: CatalogImage, extra: String?) -> Int { 0 }

  func finish() throws { try file.write(Array(text.utf8)) }

  private static func text(
    of slots: [String], _ language: Language
  ) throws(OutputToolError) -> String {
    var names: [String: String] = [:]
    var lines: [String] = []
    for slot in slots {
      // As the pipeline file allows: nothing that needs escaping in any language.
      guard slot.allSatisfy({ $0.isLetter || $0.isASCIIDigit || "-_.".contains($0) }),
        !words(slot).isEmpty
      else {
        throw OutputToolError(
          "\"\(slot)\" can't be the name of a constant; rename the slot, with letters or digits of ASCII"
        )
      }
      let name = language == .kotlin ? constant(slot) : member(slot)
      if let other = names.updateValue(slot, forKey: name) {
        throw OutputToolError(
          "\"\(other)\" and \"\(slot)\" both have the name \"\(name)\"; rename one of the slots")
      }
      lines.append(line(name, slot, language))
    }
    let (opening, closing) = frame(language)
    return "// Made by `tessera export`. Do not edit.\n\(opening)\(lines.joined())\(closing)"
  }

  private static func line(_ name: String, _ slot: String, _ language: Language) -> String {
    switch language {
    case .swift:
      "  static let \(swiftKeywords.contains(name) ? "`\(name)`" : name) = SlotName(\"\(slot)\")\n"
    case .typescript: "  \(name): \"\(slot)\",\n"
    case .kotlin: "    const val \(name) = \"\(slot)\"\n"
    }
  }

  private static func frame(_ language: Language) -> (opening: String, closing: String) {
    switch language {
    case .swift: ("import TesseraCatalog\n\nextension SlotName {\n", "}\n")
    case .typescript:
      (
        "export const slots = {\n",
        "} as const;\n\nexport type Slot = (typeof slots)[keyof typeof slots];\n"
      )
    case .kotlin: ("object CatalogSlots {\n", "}\n")
    }
  }

  /// Letters and digits between other characters.
  private static func words(_ slot: String) -> [String] {
    slot.split { !$0.isLetter && !$0.isASCIIDigit }.map(String.init)
  }

  /// `hero-image` as `heroImage`; a name may not begin with a digit.
  private static func member(_ slot: String) -> String {
    let words = words(slot)
    let rest = words.dropFirst().map { $0.prefix(1).uppercased() + $0.dropFirst() }
    return checked((words.first ?? "") + rest.joined())
  }

  /// `hero-image` as `HERO_IMAGE`.
  private static func constant(_ slot: String) -> String {
    checked(words(slot).map { $0.uppercased() }.joined(separator: "_"))
  }

  private static func checked(_ name: String) -> String {
    name.first?.isLetter == true ? name : "_\(name)"
  }

  /// Those that can't be a static member without backticks (The Swift Programming Language, "Lexical Structure").
  private static let swiftKeywords: Set<String> = [
    "associatedtype", "class", "deinit", "enum", "extension", "fileprivate", "func", "import",
    "init", "inout",
    "internal", "let", "open", "operator", "private", "protocol", "public", "rethrows", "static",
    "struct", "subscript",
    "typealias", "var", "break", "case", "continue", "default", "defer", "do", "else",
    "fallthrough", "for", "guard",
    "if", "in", "repeat", "return", "switch", "where", "while", "as", "catch", "false", "is", "nil",
    "super", "self",
    "Self", "throw", "throws", "true", "try", "Type", "Protocol", "Any", "precedencegroup", "await",
  ]
}

extension Character {
  fileprivate var isASCIIDigit: Bool { ("0"..."9").contains(self) }
}
