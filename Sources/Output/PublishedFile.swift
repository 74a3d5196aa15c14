/// A file that a catalog names: `variants/5a/5ab2…-64x48.webp`. Its name is made of the first 32 digits
/// of the SHA-256 of its bytes, so a name never changes its content.
package struct PublishedFile: Sendable {
  package var path: String
  package var type: String
  package var bytes: Int
  package var width: Int
  package var height: Int

  package init(path: String, type: String, bytes: Int, width: Int, height: Int) {
    self.path = path
    self.type = type
    self.bytes = bytes
    self.width = width
    self.height = height
  }

  /// The path of a variant.
  ///
  /// - Parameter digest: SHA-256 of the bytes, in hexadecimal.
  package static func path(
    digest: String, width: Int, height: Int, fileExtension: String
  ) -> String {
    // 32 digits are 128 bits: enough that a name never stands for two contents.
    "variants/\(digest.prefix(2))/\(digest.prefix(32))-\(width)x\(height).\(fileExtension)"
  }

  /// The path of a file of a table.
  package static func tablePath(
    digest: String, width: Int, height: Int, fileExtension: String
  ) -> String {
    "tables/\(digest.prefix(2))/\(digest.prefix(32))-\(width)x\(height).\(fileExtension)"
  }

  /// The path of the index of an atlas.
  package static func indexPath(digest: String) -> String {
    "tables/\(digest.prefix(2))/\(digest.prefix(32)).json"
  }

  /// The size and the extension in the name of a file; nil if Tessera does not make such a path.
  package static func form(
    of path: String
  ) -> (width: Int, height: Int, fileExtension: Substring)? {
    guard digest(in: path) != nil, let dash = path.lastIndex(of: "-") else { return nil }
    let parts = path[path.index(after: dash)...].split(separator: ".")
    let sides = parts.first?.split(separator: "x").compactMap { Int($0) } ?? []
    return parts.count == 2 && sides.count == 2 ? (sides[0], sides[1], parts[1]) : nil
  }

  /// The first digits of the SHA-256 of its bytes; nil if Tessera does not make such a path.
  package var digest: Substring? { Self.digest(in: path) }

  /// Compares bytes, because a slash with a combining accent is another character than a slash.
  package static func digest(in path: String) -> Substring? {
    let parts = path.utf8.split(
      separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    guard parts.count == 3, parts[2].count > 32 else { return nil }
    let (digest, rest) = (parts[2].prefix(32), parts[2].dropFirst(32))
    let isTable = parts[0].elementsEqual("tables".utf8)
    guard isTable || parts[0].elementsEqual("variants".utf8),
      // The index of an atlas has no size.
      rest.first == UInt8(ascii: "-") || isTable && rest.elementsEqual(".json".utf8)
    else { return nil }
    let isDigest = digest.allSatisfy {
      (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
        || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains($0)
    }
    let isRest = rest.dropFirst().allSatisfy {
      (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
        || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) || $0 == UInt8(ascii: ".")
    }
    guard isDigest, isRest, parts[1].elementsEqual(digest.prefix(2)) else { return nil }
    return path[digest.startIndex..<digest.endIndex]
  }
}
