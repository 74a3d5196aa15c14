internal import TesseraCatalog
internal import TesseraFiles
internal import TesseraJSON

/// Reads a catalog that Tessera wrote, in either form, one image at a time: memory does not grow with it.
struct CatalogReader: ~Copyable {
  private let file: File
  private let path: String
  private var buffer: [UInt8] = []
  private var start = 0
  private var line = 0
  private(set) var count = 0

  /// The one catalog of an output.
  ///
  /// - Throws: ``PipelineError`` where there is none, or one of another version.
  static func open(_ root: String) throws(PipelineError) -> CatalogReader {
    let names = ["catalog.json", "catalog.jsonl"].map { FileSystem.join(root, $0) }
    guard let path = names.first(where: { FileSystem.size(ofFile: $0) != nil }) else {
      throw .local(
        "\"\(root)\" holds no catalog.json; it must be the output of a run")
    }
    var reader = CatalogReader(
      file: try PipelineError.wrap { try File(path, .read) }, path: path)
    // Up to the images, the head is the same in both forms.
    guard let head = try reader.nextLine(),
      let value = try? JSONParser.parse(
        head.last == UInt8(ascii: "[") ? Array(head) + Array("]}".utf8) : Array(head)),
      value["schema"]?.stringValue == Catalog.schema
    else {
      throw .local(
        "\"\(path)\" is no catalog of this version; expected \"schema\": \"\(Catalog.schema)\" on its "
          + "first line")
    }
    return reader
  }

  private init(file: consuming File, path: String) {
    self.file = file
    self.path = path
  }

  /// The next image; nil behind the last.
  mutating func next() throws(PipelineError) -> JSONValue? {
    while let line = try nextLine() {
      if line.isEmpty { continue }
      if line.elementsEqual("]}".utf8) { return nil }
      let text = line.last == UInt8(ascii: ",") ? line.dropLast() : line
      do throws(JSONError) {
        count += 1
        return try JSONParser.parse(Array(text))
      } catch {
        throw .local(
          "\"\(path)\", line \(self.line): \(error.message); the catalog is damaged, run again to make it "
            + "anew")
      }
    }
    return nil
  }

  private mutating func nextLine() throws(PipelineError) -> ArraySlice<UInt8>? {
    while true {
      if let end = buffer[start...].firstIndex(of: UInt8(ascii: "\n")) {
        defer { start = end + 1 }
        line += 1
        return buffer[start..<end]
      }
      buffer.removeSubrange(..<start)
      start = 0
      let got = try PipelineError.wrap { try file.read(1 << 16, into: &buffer) }
      guard got > 0 else {
        guard !buffer.isEmpty else { return nil }
        defer { start = buffer.count }
        line += 1
        return buffer[...]
      }
    }
  }
}

/// A file that a catalog names.
struct NamedFile {
  var path: String
  var type: String
  var bytes: Int
  var width: Int
  var height: Int

  /// All files of an image; nil where it has members that are not what they should be.
  static func all(of image: JSONValue) -> [NamedFile]? {
    var files: [NamedFile] = []
    for variant in image["variants"]?.arrayValue ?? [] {
      guard let width = variant["width"]?.intValue, let height = variant["height"]?.intValue else {
        return nil
      }
      for file in [variant] + (variant["also"]?.arrayValue ?? []) {
        guard let path = file["path"]?.stringValue, let type = file["type"]?.stringValue,
          let bytes = file["bytes"]?.intValue
        else { return nil }
        files.append(NamedFile(path: path, type: type, bytes: bytes, width: width, height: height))
      }
    }
    return files
  }

  /// The beginning of its content's SHA-256, which its name is made of; nil where the path is none of ours.
  var digest: Substring? {
    let parts = path.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 3, parts[0] == "variants", let mark = parts[2].firstIndex(of: "-") else {
      return nil
    }
    let digest = parts[2][..<mark]
    let isHexadecimal = digest.utf8.allSatisfy {
      (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
        || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains($0)
    }
    return digest.utf8.count == 32 && isHexadecimal && parts[1] == digest.prefix(2) ? digest : nil
  }
}
