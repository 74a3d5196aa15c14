internal import Synchronization
internal import TesseraBytes
internal import TesseraCatalog
internal import TesseraJSON
internal import TesseraOutput
internal import TesseraSystem

/// The images of a kept catalog as they were written, one at a time, so that memory does not grow with
/// the catalog. It is read from the output itself, which may be in a store.
struct KeptImages {
  let kept: KeptCatalog
  private let output: any Output
  private var reader: CatalogReader
  private var offset = 0
  private var isAtEnd = false
  /// Nil if it is not checked.
  private let sum: Sum?

  private static let partBytes = 1 << 20

  private final class Sum: Sendable {
    private let digest = Mutex(SHA256())

    func add(_ bytes: [UInt8]) {
      digest.withLock { digest in bytes.withUnsafeBytes { digest.update($0) } }
    }

    var hexadecimal: String { digest.withLock { $0.hexadecimal() } }
  }

  /// - Parameter checksDigest: whether it has to be as it was written.
  init(_ kept: KeptCatalog, in output: any Output, checksDigest: Bool) {
    self.kept = kept
    self.output = output
    let sum = checksDigest ? Sum() : nil
    self.sum = sum
    reader = sum.map { sum in CatalogReader { sum.add($0) } } ?? CatalogReader()
  }

  /// The next image; nil after the last, when the catalog has been found to be whole.
  mutating func next() async throws -> JSONValue? {
    while !isAtEnd {
      do {
        if let (text, _) = try reader.nextText() { return try JSONParser.parse(Array(text)) }
      } catch {
        throw damaged("\(error)")
      }
      let offset = offset
      let part = try await OutputToolError.wrapAsync { [output, kept] in
        try await output.read(kept.path, Self.partBytes, at: offset)
      }
      self.offset += part.count
      reader.add(part)
      if part.isEmpty { try end() }
    }
    return nil
  }

  private mutating func end() throws(OutputToolError) {
    isAtEnd = true
    do throws(CatalogError) { try reader.finish() } catch { throw damaged("\(error)") }
    if let sum, let stated = reader.head?.digest, stated != sum.hexadecimal {
      throw damaged("its content has another digest than its head states")
    }
  }

  /// The tables of the catalog, once an image or the end has been reached.
  var tables: [CatalogTable] { (reader.head?.tables ?? [:]).values.flatMap(\.self) }

  func damaged(_ reason: String) -> OutputToolError {
    OutputToolError(
      "the kept catalog \"\(FileSystem.join(output.location, kept.path))\" is damaged: \(reason); "
        + "remove it, and it can no longer be rolled back to")
  }
}
