internal import TesseraJSON
internal import TesseraSystem
internal import TesseraText

/// The names of exported assets: a JSON object by ids, `{"p1": {"card": "card/p1"}}`, and constants for the app's
/// code. Both are written as the images come.
final class AssetNames {
  private let table: File
  private let code: File
  private let language: Language
  private var isFirst = true
  private var taken: [Identifier: String] = [:]

  enum Language: String {
    case swift
    case kotlin = "kt"
  }

  init(_ table: String, _ code: String, _ language: Language) throws(SystemError) {
    self.table = try File(table, .create)
    self.code = try File(code, .create)
    self.language = language
    try self.table.write(Array("{".utf8))
    let head = "// Made by `tessera export`. Do not edit.\n"
    let opening =
      switch language {
      case .swift: "/// Names in the asset catalog.\nenum CatalogAssets {\n"
      case .kotlin: "/** Names of drawables. */\nobject CatalogDrawables {\n"
      }
    try self.code.write(Array((head + opening).utf8))
  }

  /// - Parameter names: of the image in each slot.
  func add(_ id: String, _ names: [(slot: String, asset: String)]) throws {
    var entry = JSONWriter()
    entry.value(id)
    var slots = JSONWriter()
    slots.object { object in for name in names { object.member(name.slot, name.asset) } }
    let separator = isFirst ? "\n" : ",\n"
    isFirst = false
    try table.write(Array(separator.utf8) + entry.take() + Array(":".utf8) + slots.take())
    for name in names {
      // Digests of 32 bits may be equal, if rarely.
      if let other = taken.updateValue(id, forKey: Identifier(name.asset)) {
        throw TesseraError(
          .output, "\"\(other)\" and \"\(id)\" both have the name \"\(name.asset)\"",
          remedy: "give one of them another id")
      }
      try code.write(Array(line(name.asset).utf8))
    }
  }

  private func line(_ asset: String) -> String {
    let constant = asset.replacing("/", with: "_")
    return switch language {
    case .swift: "  static let \(constant) = \"\(asset)\"\n"
    case .kotlin: "    const val \(constant) = \"\(asset)\"\n"
    }
  }

  func finish() throws(SystemError) {
    try table.write(Array("\n}\n".utf8))
    try code.write(Array("}\n".utf8))
  }
}
