internal import TesseraCatalog
internal import TesseraJSON
internal import TesseraSystem

/// Reads a catalog that Tessera wrote, in either form, one image at a time: memory does not grow with it.
struct WrittenCatalog: ~Copyable {
  private let file: File
  private let path: String
  private var buffer: [UInt8] = []
  private var start = 0
  /// How far the buffer was looked through for the end of a line.
  private var searched = 0
  /// Whether it is in JSON, which has an end, and not in lines.
  private var hasEnd = false
  private var line = 0
  private(set) var count = 0
  /// Everything but the images.
  private(set) var head = JSONValue.null
  /// Bytes from the file's start to the buffer's.
  private var bufferOffset = 0
  /// Where the last image stands, in bytes from the file's start.
  private(set) var place = (offset: 0, length: 0)

  /// The one catalog of an output.
  ///
  /// - Throws: ``OutputToolError`` where there is none, or one of another version.
  static func open(_ root: String) throws(OutputToolError) -> WrittenCatalog {
    let names = ["catalog.json", "catalog.jsonl"].map { FileSystem.join(root, $0) }
    guard let path = names.first(where: { FileSystem.size(ofFile: $0) != nil }) else {
      throw .local(
        "\"\(root)\" holds no catalog.json; it must be the output of a run")
    }
    return try read(path)
  }

  /// A catalog by its own path, or that of an output.
  static func open(at path: String) throws(OutputToolError) -> WrittenCatalog {
    FileSystem.isDirectory(path) ? try open(path) : try read(path)
  }

  private static func read(_ path: String) throws(OutputToolError) -> WrittenCatalog {
    var reader = WrittenCatalog(
      file: try OutputToolError.wrap { try File(path, .read) }, path: path)
    // Up to the images, the head is the same in both forms.
    guard let head = try reader.nextLine(),
      let value = try? JSONParser.parse(
        head.last == UInt8(ascii: "[") ? Array(head) + Array("]}".utf8) : Array(head)),
      value["schema"]?.stringValue == Catalog.schema,
      // Nobody else writes them on one line, and here they would be overlooked.
      value["images"]?.arrayValue?.isEmpty ?? true
    else {
      throw .local(
        "\"\(path)\" is no catalog of this version; expected \"schema\": \"\(Catalog.schema)\" on its "
          + "first line, and an image on each other, as a run writes it")
    }
    reader.head = value
    reader.hasEnd = head.last == UInt8(ascii: "[")
    return reader
  }

  private init(file: consuming File, path: String) {
    self.file = file
    self.path = path
  }

  /// The next image; nil behind the last.
  mutating func next() throws(OutputToolError) -> JSONValue? {
    while let line = try nextLine() {
      if line.isEmpty { continue }
      if line.elementsEqual("]}".utf8) { return nil }
      let text = line.last == UInt8(ascii: ",") ? line.dropLast() : line
      place = (bufferOffset + text.startIndex, text.count)
      count += 1
      return try parse(text)
    }
    if hasEnd { throw error("it breaks off here") }
    return nil
  }

  /// An image that was read before, by its place.
  func line(at offset: Int, length: Int) throws(OutputToolError) -> JSONValue {
    try parse(try OutputToolError.wrap { try file.read(length, at: offset) }[...])
  }

  private func parse(_ text: ArraySlice<UInt8>) throws(OutputToolError) -> JSONValue {
    do throws(JSONError) {
      return try JSONParser.parse(Array(text))
    } catch {
      throw self.error(error.message)
    }
  }

  /// What is wrong with the line that was read last.
  func error(_ message: String) -> OutputToolError {
    .local(
      "\"\(path)\", line \(line): \(message); the catalog is damaged, run again to make it anew")
  }

  private mutating func nextLine() throws(OutputToolError) -> ArraySlice<UInt8>? {
    while true {
      if let end = buffer[max(start, searched)...].firstIndex(of: UInt8(ascii: "\n")) {
        defer { start = end + 1 }
        line += 1
        return buffer[start..<end]
      }
      bufferOffset += start
      buffer.removeSubrange(..<start)
      searched = buffer.count
      start = 0
      let got = try OutputToolError.wrap { try file.read(1 << 16, into: &buffer) }
      guard got > 0 else {
        guard !buffer.isEmpty else { return nil }
        defer { start = buffer.count }
        line += 1
        return buffer[...]
      }
    }
  }
}
