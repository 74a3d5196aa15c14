internal import TesseraBytes
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

extension String {
  /// The text as a name for files and resources: small letters of ASCII, digits and underscores, with a letter first.
  ///
  /// It depends on the text alone, so it is the same in each export whatever other images there are. A text that is
  /// such a name already stays as it is; any other one gets a part of its SHA-256, so that two texts are two
  /// names, on file systems that ignore case, too.
  var assetName: String {
    if isAssetName { return self }
    var bytes: [UInt8] = []
    for byte in utf8.prefix(Self.longest) {
      switch byte {
      case 0x61...0x7A, 0x30...0x39: bytes.append(byte)
      case 0x41...0x5A: bytes.append(byte + 0x20)
      default: if bytes.last != UInt8(ascii: "_") { bytes.append(UInt8(ascii: "_")) }
      }
    }
    if bytes.last != UInt8(ascii: "_") { bytes.append(UInt8(ascii: "_")) }
    let isLetter = bytes.first.map { (0x61...0x7A).contains($0) } == true
    return (isLetter ? "" : "i") + (isLetter || bytes.first == UInt8(ascii: "_") ? "" : "_")
      + String(decoding: bytes, as: UTF8.self) + SHA256.of(self).prefix(8)
  }

  private var isAssetName: Bool {
    guard let first = utf8.first, (0x61...0x7A).contains(first), utf8.count <= Self.longest else {
      return false
    }
    return utf8.allSatisfy {
      (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == UInt8(ascii: "_")
    }
  }

  /// Far from the 255 bytes that file systems allow (NAME_MAX), with a slot's name and an extension.
  private static var longest: Int { 80 }
}
