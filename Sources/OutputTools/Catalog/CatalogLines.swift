internal import TesseraCatalog
internal import TesseraJSON
internal import TesseraSystem

/// The images of a catalog as they were written, one at a time, so that memory does not grow with
/// the catalog.
///
/// It reads what a run writes: the head on the first line, and each image on a line of its own.
struct CatalogLines: ~Copyable {
  /// A part of the file, in bytes from its start.
  struct Place {
    var offset = 0
    var length = 0
  }

  private let file: File
  private let path: String
  private var buffer: [UInt8] = []
  private var start = 0
  /// How far the buffer has been searched for the end of a line.
  private var searched = 0
  /// Whether the catalog is JSON, which has an end, and not JSON Lines.
  private var hasEnd = false
  private var line = 0
  /// Images read so far.
  private var count = 0
  /// The catalog's members without the images.
  private(set) var head = JSONValue.null
  /// Bytes from the file's start to the buffer's.
  private var bufferOffset = 0
  /// The place of the image that was returned last.
  private(set) var place = Place()

  private init(file: consuming File, path: String) {
    self.file = file
    self.path = path
  }

  /// Reads the head of a catalog.
  ///
  /// - Throws: ``OutputToolError`` if this is not a catalog of this version, as a run writes it.
  static func of(_ file: consuming File, path: String) throws(OutputToolError) -> CatalogLines {
    var lines = CatalogLines(file: file, path: path)
    guard let first = try lines.nextLine(), let head = head(first) else {
      throw OutputToolError(
        "\"\(path)\" is not a catalog of this version; expected \"schema\": "
          + "\"\(Catalog.schema)\" on its first line, and an image on each other line, "
          + "as a run writes it"
      )
    }
    lines.head = head
    lines.hasEnd = first.last == UInt8(ascii: "[")
    return lines
  }

  /// The head on the first line, which is the same in both forms up to the images.
  private static func head(_ line: ArraySlice<UInt8>) -> JSONValue? {
    let text = line.last == UInt8(ascii: "[") ? Array(line) + Array("]}".utf8) : Array(line)
    // Why it is not JSON does not matter: the file is not a catalog then.
    guard let value = try? JSONParser.parse(text),
      value["schema"]?.stringValue == Catalog.schema,
      // Images on the first line would be missed here. Only another program writes them there.
      value["images"]?.arrayValue?.isEmpty ?? true
    else { return nil }
    return value
  }

  /// The next image; nil after the last.
  ///
  /// - Throws: ``OutputToolError`` if the catalog is damaged, or `CancellationError`.
  mutating func next() throws -> JSONValue? {
    try Task.checkCancellation()
    while let line = try nextLine() {
      if line.isEmpty { continue }
      if line.elementsEqual("]}".utf8) { return try end() }
      let text = line.last == UInt8(ascii: ",") ? line.dropLast() : line
      place = Place(offset: bufferOffset + text.startIndex, length: text.count)
      count += 1
      return try parse(text)
    }
    if hasEnd { throw error("the file ends before the catalog does") }
    return try end()
  }

  /// JSON Lines has no end of its own: that it is cut at the end of a line shows in the number alone.
  private func end() throws(OutputToolError) -> JSONValue? {
    if let stated = head["count"]?.intValue, stated != count {
      throw error("the catalog has \(count) of its \(stated) images")
    }
    return nil
  }

  /// An image that was returned before, by its place.
  func image(at place: Place) throws(OutputToolError) -> JSONValue {
    try parse(try OutputToolError.wrap { try file.read(place.length, at: place.offset) }[...])
  }

  private func parse(_ text: ArraySlice<UInt8>) throws(OutputToolError) -> JSONValue {
    do throws(JSONError) {
      return try JSONParser.parse(Array(text))
    } catch {
      throw self.error(error.message)
    }
  }

  /// An error in the line that was read last.
  func error(_ message: String) -> OutputToolError {
    OutputToolError(
      "\"\(path)\", line \(line): \(message); the catalog is damaged, run again to regenerate it")
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
      let count = try OutputToolError.wrap { try file.read(1 << 16, into: &buffer) }
      guard count > 0 else {
        guard !buffer.isEmpty else { return nil }
        defer { start = buffer.count }
        line += 1
        return buffer[...]
      }
    }
  }
}
