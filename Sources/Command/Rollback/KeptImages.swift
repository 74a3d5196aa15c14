internal import TesseraCatalog
internal import TesseraJSON
internal import TesseraNet
internal import TesseraOutput
internal import TesseraSystem

/// The images of a kept catalog as they were written, one at a time, with errors that say what to do.
struct KeptImages {
  private let kept: KeptCatalog
  private let output: any Output
  private var texts: CatalogTexts

  /// - Parameter checksDigest: whether it has to be as it was written.
  init(_ kept: KeptCatalog, in output: any Output, checksDigest: Bool) {
    (self.kept, self.output) = (kept, output)
    texts = CatalogTexts(kept.path, in: output, checksDigest: checksDigest)
  }

  /// The next image; nil after the last, when the catalog has been found to be whole.
  mutating func next() async throws -> CatalogLine? {
    do {
      return try await texts.next().map { CatalogLine(try JSONParser.parse($0)) }
    } catch let error as SystemError {
      throw error.isDamage ? damaged(error.finding ?? "") : error
    } catch {
      throw damaged("is damaged: \(error)")
    }
  }

  /// Those of the files that its images have.
  mutating func formats() async throws -> [CatalogFormat] {
    _ = try await texts.readHead()
    return texts.formats
  }

  /// The tables of the catalog, once an image or the end has been reached.
  var tables: [CatalogTable] { texts.tables }

  /// - Parameter finding: completes a sentence that begins with the catalog.
  func damaged(_ finding: String) -> TesseraError {
    TesseraError(
      .output, "the kept catalog \"\(FileSystem.join(output.location, kept.path))\" \(finding)",
      remedy: "remove it, and it can no longer be rolled back to")
  }
}
