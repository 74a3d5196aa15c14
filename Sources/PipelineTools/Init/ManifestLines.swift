internal import TesseraJSON
internal import TesseraPipeline
internal import TesseraSystem
internal import TesseraText

/// The lines of a manifest that is brought up to date.
struct ManifestLines {
  struct Line {
    /// The line's own id, or the URL that takes its place.
    let id: String
    let url: String
    let place: ImagePlace
    let bytes: ArraySlice<UInt8>
  }

  private(set) var lines: [Line] = []
  /// The file as it is.
  private(set) var bytes: [UInt8] = []

  /// A manifest that `init` writes is shorter; a longer one comes from a program.
  private static let longest = 256 << 20

  /// A missing manifest has no lines.
  init(of manifest: String) throws {
    guard FileSystem.exists(manifest) else { return }
    bytes = try FileSystem.read(manifest, limit: Self.longest)
    let all = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    for (number, line) in all.enumerated() where !line.isEmpty {
      let entry = try? JSONParser.parse(Array(line))
      // A relative URL could not be compared with those of images.
      guard let url = entry?["url"]?.stringValue, SourceURL.scheme(of: url) != nil else {
        throw PipelineError.local(
          "line \(number + 1) of \"\(manifest)\" has no absolute URL; correct it, or edit the manifest by hand"
        )
      }
      let id = entry?["id"]?.stringValue ?? url
      lines.append(Line(id: id, url: url, place: ImagePlace(url), bytes: line))
    }
  }
}
