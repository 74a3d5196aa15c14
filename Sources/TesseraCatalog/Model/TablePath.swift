internal import TesseraJSON

extension CatalogTable {
  /// Whether a path has the form `tables/3f/3f9c…-64x64.bgra8`, or `tables/3f/3f9c….json` for an index: the folder
  /// is the beginning of the name, which has 32 hexadecimal digits.
  package static func isPath(_ path: String, isIndex: Bool = false) -> Bool {
    let parts = path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    guard parts.count == 3, parts[0].elementsEqual("tables".utf8), parts[2].count > 32 else {
      return false
    }
    let (digest, rest) = (parts[2].prefix(32), parts[2].dropFirst(32))
    guard parts[1].elementsEqual(digest.prefix(2)), digest.allSatisfy(isHexadecimal) else {
      return false
    }
    if isIndex { return rest.elementsEqual(".json".utf8) }
    let name = rest.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    let size = name[0].dropFirst().split(
      separator: UInt8(ascii: "x"), omittingEmptySubsequences: false)
    return name.count == 2 && name[0].first == UInt8(ascii: "-") && size.count == 2
      && size.allSatisfy { (1...9).contains($0.count) && $0.allSatisfy(isDigit) }
      && (1...9).contains(name[1].count)
      && name[1].allSatisfy { isDigit($0) || (0x61...0x7A).contains($0) }
  }

  private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

  private static func isHexadecimal(_ byte: UInt8) -> Bool {
    isDigit(byte) || (0x61...0x66).contains(byte)
  }
}

extension Catalog {
  /// The paths of all files of ``tables``.
  package var tablePaths: [String] {
    (tables ?? [:]).values.joined().flatMap(\.files).flatMap { file in
      [file.path] + (file.index.map { [$0] } ?? [])
    }
  }

  /// As ``CatalogImage/checkPaths(at:)`` does for variants.
  func checkTablePaths(at offset: Int) throws(JSONScanner.Failure) {
    for (slot, tables) in tables ?? [:] {
      for file in tables.flatMap(\.files) {
        let index = file.index ?? ""
        guard CatalogTable.isPath(file.path),
          file.index == nil || CatalogTable.isPath(index, isIndex: true)
        else {
          throw JSONScanner.Failure(
            offset: offset,
            message: "expected paths such as tables/3f/3f9c…-64x64.bgra8, found "
              + "\"\(file.path.prefix(80))\" and \"\(index.prefix(80))\""
          ).within(slot)
        }
      }
    }
  }
}
