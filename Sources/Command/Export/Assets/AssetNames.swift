internal import TesseraJSON
internal import TesseraSystem
internal import TesseraText

/// The names of exported assets, a JSON object by ids that is written as the images come: `{"p1": {"card": "card/p1"}}`.
final class AssetNames {
  private let file: File
  private var isFirst = true
  private var taken: [Identifier: String] = [:]

  init(_ path: String) throws(SystemError) {
    file = try File(path, .create)
    try file.write(Array("{".utf8))
  }

  /// - Parameter names: of the image in each slot.
  func add(_ id: String, _ names: [(slot: String, asset: String)]) throws {
    var entry = JSONWriter()
    entry.value(id)
    var slots = JSONWriter()
    slots.object { object in for name in names { object.member(name.slot, name.asset) } }
    let separator = isFirst ? "\n" : ",\n"
    isFirst = false
    try file.write(Array(separator.utf8) + entry.take() + Array(":".utf8) + slots.take())
    for name in names {
      // Digests of 32 bits may be equal, if rarely.
      if let other = taken.updateValue(id, forKey: Identifier(name.asset)) {
        throw TesseraError(
          .output, "\"\(other)\" and \"\(id)\" both have the name \"\(name.asset)\"",
          remedy: "give one of them another id")
      }
    }
  }

  func finish() throws(SystemError) { try file.write(Array("\n}\n".utf8)) }
}
