internal import TesseraCatalog

/// A file that a catalog names (``FileName``).
package struct PublishedFile: Sendable {
  package var path: String
  package var type: String
  package var bytes: Int
  package var width: Int
  package var height: Int
  /// Of its bytes, in hexadecimal; nil if the catalog does not say it.
  package var sha256: String?

  package init(
    path: String, type: String, bytes: Int, width: Int, height: Int, sha256: String? = nil
  ) {
    self.sha256 = sha256
    self.path = path
    self.type = type
    self.bytes = bytes
    self.width = width
    self.height = height
  }

  /// The path of a file of a table.
  ///
  /// - Parameter digest: SHA-256 of the bytes, in hexadecimal.
  package static func tablePath(
    digest: String, width: Int, height: Int, fileExtension: String
  ) -> String {
    // 32 digits are 128 bits: enough that a name never stands for two contents.
    "tables/\(digest.prefix(2))/\(digest.prefix(32))-\(width)x\(height).\(fileExtension)"
  }

  /// The path of the index of an atlas.
  package static func indexPath(digest: String) -> String {
    "tables/\(digest.prefix(2))/\(digest.prefix(32)).json"
  }

  /// Whether Tessera makes such a path.
  package static func isOne(_ path: String) -> Bool {
    FileName.parts(of: path) != nil || tableDigest(in: path) != nil
  }

  /// The first digits of the SHA-256 of the bytes of a file of a table; nil for any other path. By bytes, because a slash with a
  /// combining accent is another character than a slash.
  package static func tableDigest(in path: String) -> Substring? {
    let parts = path.utf8.split(
      separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    guard parts.count == 3, parts[0].elementsEqual("tables".utf8), parts[2].count > 32 else {
      return nil
    }
    let (digest, rest) = (parts[2].prefix(32), parts[2].dropFirst(32))
    // The index of an atlas has no size.
    guard rest.first == UInt8(ascii: "-") || rest.elementsEqual(".json".utf8) else { return nil }
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
