package import TesseraJSON

/// A file that a catalog names.
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

  /// All files of an image; nil where it has members that are not what they should be.
  package static func all(of image: JSONValue) -> [PublishedFile]? {
    var files: [PublishedFile] = []
    for variant in image["variants"]?.arrayValue ?? [] {
      guard let width = variant["width"]?.intValue, let height = variant["height"]?.intValue else {
        return nil
      }
      for file in [variant] + (variant["also"]?.arrayValue ?? []) {
        guard let path = file["path"]?.stringValue, let type = file["type"]?.stringValue,
          let bytes = file["bytes"]?.intValue
        else { return nil }
        files.append(
          PublishedFile(path: path, type: type, bytes: bytes, width: width, height: height))
      }
    }
    return files
  }

  /// The beginning of its content's SHA-256, which its name is made of; nil where the path is none of ours.
  package var digest: Substring? { Self.digest(in: path) }

  /// `variants/5a/5ab2…-64x48.webp`. By bytes: a slash with an accent is one more slash.
  package static func digest(in path: String) -> Substring? {
    let parts = path.utf8.split(
      separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    guard parts.count == 3, parts[0].elementsEqual("variants".utf8),
      let mark = parts[2].firstIndex(of: UInt8(ascii: "-"))
    else { return nil }
    let digest = parts[2][..<mark]
    let isDigest =
      digest.count == 32
      && digest.allSatisfy {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
          || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains($0)
      }
    let isRest = parts[2][mark...].dropFirst().allSatisfy {
      (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
        || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) || $0 == UInt8(ascii: ".")
    }
    guard isDigest, isRest, parts[1].elementsEqual(digest.prefix(2)) else { return nil }
    return path[digest.startIndex..<digest.endIndex]
  }
}
