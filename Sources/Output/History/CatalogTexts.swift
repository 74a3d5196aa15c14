internal import Synchronization
internal import TesseraBytes
package import TesseraCatalog
package import TesseraJSON
package import TesseraSystem

/// The images of a catalog in an output as they were written, one at a time, so that memory does not grow with the
/// catalog.
package struct CatalogTexts {
  private let output: any Output
  private let path: String
  private var reader: CatalogReader
  /// Nil if it is not checked.
  private let sum: Sum?
  private var offset = 0
  private var isAtEnd = false

  /// Small at first: often only the head is read.
  private var partBytes = 1 << 16
  private static let mostPartBytes = 1 << 20
  private static let batch = 1_000

  private final class Sum: Sendable {
    private let digest = Mutex(SHA256())

    func add(_ bytes: [UInt8]) {
      digest.withLock { digest in bytes.withUnsafeBytes { digest.update($0) } }
    }

    var hexadecimal: String { digest.withLock { $0.hexadecimal() } }
  }

  /// - Parameters:
  ///   - path: of the catalog, or of a document of a screen.
  ///   - checksDigest: whether it has to be as it was written.
  package init(_ path: String, in output: any Output, checksDigest: Bool = false) {
    (self.output, self.path) = (output, path)
    let sum = checksDigest ? Sum() : nil
    self.sum = sum
    reader = sum.map { sum in CatalogReader { sum.add($0) } } ?? CatalogReader()
  }

  /// The next image; nil after the last one.
  ///
  /// - Throws: also if the catalog is damaged.
  package mutating func next() async throws(SystemError) -> [UInt8]? {
    try await nextPlaced()?.text
  }

  /// As ``next()``, with where the image is in the document, in bytes.
  package mutating func nextPlaced() async throws(SystemError) -> (text: [UInt8], offset: Int)? {
    while !isAtEnd {
      if let found = try take() { return found }
      try await readPart()
    }
    return nil
  }

  /// The next image of what has been read.
  private mutating func take() throws(SystemError) -> (text: [UInt8], offset: Int)? {
    do throws(CatalogError) {
      return try reader.nextText().map { (Array($0.text), $0.offset) }
    } catch {
      throw damaged("\(error)")
    }
  }

  private mutating func takeHead() throws(SystemError) -> Bool {
    do throws(CatalogError) {
      return try reader.readHead()
    } catch {
      throw damaged("\(error)")
    }
  }

  private mutating func readPart() async throws(SystemError) {
    let part = try await output.read(path, partBytes, at: offset)
    partBytes = Self.mostPartBytes
    offset += part.count
    reader.add(part)
    if part.isEmpty { try end() }
  }

  private mutating func end() throws(SystemError) {
    isAtEnd = true
    do throws(CatalogError) { try reader.finish() } catch { throw damaged("\(error)") }
    if let sum, let stated = reader.head?.digest, stated != sum.hexadecimal {
      throw damaged("its content has another digest than its head states")
    }
  }

  /// The head of the catalog and its members, from no more of the file than that takes; nil if it has none.
  package mutating func readHead() async throws(SystemError) -> (
    catalog: Catalog, members: JSONValue
  )? {
    do throws(SystemError) {
      while !isAtEnd, try !takeHead() { try await readPart() }
    } catch {
      // Damage behind the head.
      guard error.isDamage else { throw error }
    }
    guard let catalog = reader.head else { return nil }
    return (catalog, try head)
  }

  /// The formats of its files, once the head has been read.
  package var formats: [CatalogFormat] { reader.head?.formats ?? [] }

  /// The tables of the catalog, once an image or the end has been reached.
  package var tables: [CatalogTable] { (reader.head?.tables ?? [:]).values.flatMap(\.self) }

  /// The paths of the files that the next images have; nil after the last image.
  package mutating func nextFiles() async throws(SystemError) -> [String]? {
    var paths: [String] = []
    while paths.count < Self.batch {
      guard let text = try await next() else { return paths.isEmpty ? nil : paths }
      guard let files = CatalogLine(text)?.files(formats) else {
        throw damaged("an image has a malformed entry; run again")
      }
      paths += files.map(\.path)
    }
    return paths
  }

  /// Whether a document begins as one of ours.
  static func isOurs(_ path: String, in output: any Output) async throws(SystemError) -> Bool {
    CatalogDocument.statedDigest(of: try await output.read(path, CatalogDocument.digested, at: 0))
      != nil
  }

  /// The other members, once the head has been read: a JSON object.
  package var headText: [UInt8] { reader.headText }

  /// The other members, once the head has been read.
  package var head: JSONValue {
    get throws(SystemError) {
      guard let head = try? JSONParser.parse(reader.headText) else {
        throw damaged("it has no head")
      }
      return head
    }
  }

  package func damaged(_ reason: String) -> SystemError {
    .damaged(FileSystem.join(output.location, path), reason)
  }
}
