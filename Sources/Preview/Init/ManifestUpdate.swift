internal import TesseraFetch
internal import TesseraJSON
internal import TesseraOutput
internal import TesseraPipeline
internal import TesseraPipelineFile
internal import TesseraSystem
internal import TesseraText

/// Brings the manifest of a pipeline up to date with its images.
///
/// A line stays as it is, with its id and whatever was added to it, unless its image was below one of the named folders and
/// is gone. New images follow at the end.
package struct ManifestUpdate {
  package struct Report: Sendable {
    /// The manifest that was written.
    package var manifest: String
    package var images: Int
    package var added: Int
    package var removed: Int
    /// What the pipeline does not permit and a run would need, as `fetch.allow` has it.
    package var needs: [String]
    /// As ``NewPipeline/Report/skipped``.
    package var skipped: [String]
  }

  private struct Line {
    let id: String
    let url: String
    let bytes: ArraySlice<UInt8>
  }

  /// A manifest that `init` writes is shorter; a longer one comes from a program.
  private static let longest = 256 << 20

  /// - Parameters:
  ///   - folder: with the `pipeline.yaml` that names the manifest.
  ///   - sources: images, folders of images and URLs; not a list.
  /// - Throws: the pipeline file's mistakes, or ``PipelineError``; then the manifest is as it was.
  package static func write(in folder: String, from sources: [String]) throws -> Report {
    let pipeline = FileSystem.join(folder, PipelineFile.standardName)
    let file = try PipelineFile.load(pipeline, manifest: nil, output: nil)
    guard case .file(let manifest) = file.manifest, manifest.hasSuffix(".jsonl") else {
      throw PipelineError.local(
        "the manifest of \"\(pipeline)\" is not a .jsonl file; --manifest-only writes no other")
    }
    let before = try lines(of: manifest)
    let first = try FirstSources(
      sources, known: Dictionary(before.map { ($0.url, $0.id) }) { first, _ in first })
    guard !first.images.isEmpty else {
      throw PipelineError.local(
        "a list is a manifest by itself; --manifest-only needs images, folders or URLs")
    }
    let (known, found) = (Set(before.map(\.url)), Set(first.images.map(\.url)))
    let kept = before.filter { line in
      found.contains(line.url) || !first.folders.contains { line.url.hasPrefix($0) }
    }
    let added = first.images.filter { !known.contains($0.url) }
    let text = kept.flatMap { $0.bytes + [UInt8(ascii: "\n")] } + added.flatMap(\.manifestLine)
    // The file itself, where the path is a link to it.
    let place = FileSystem.realPath(manifest) ?? manifest
    try Draft.publish(to: place) { draft in
      let new = try File(draft, .create)
      try new.takePermissions(of: place)
      try new.write(text)
      try new.synchronize()
    }
    let settings = file.fetch.fetchSettings
    let isRefused = added.contains { settings.refusal(ofSource: $0.url) != nil }
    return Report(
      manifest: manifest, images: kept.count + added.count, added: added.count,
      removed: before.count - kept.count, needs: isRefused ? first.permissions : [],
      skipped: first.skipped)
  }

  private static func lines(of manifest: String) throws -> [Line] {
    guard FileSystem.exists(manifest) else { return [] }
    let bytes = try FileSystem.read(manifest, limit: longest)
    return try bytes.split(separator: UInt8(ascii: "\n")).enumerated().map { number, line in
      let entry = try? JSONParser.parse(Array(line))
      // A relative URL could not be compared with those of images.
      guard let url = entry?["url"]?.stringValue, SourceURL.scheme(of: url) != nil else {
        throw PipelineError.local(
          "line \(number + 1) of \"\(manifest)\" has no absolute URL; correct it, or edit the manifest by hand"
        )
      }
      return Line(id: entry?["id"]?.stringValue ?? url, url: url, bytes: line)
    }
  }
}

extension FirstSources.Image {
  /// `{"id": …, "url": …}` and a line feed.
  var manifestLine: [UInt8] {
    var writer = JSONWriter()
    writer.object { entry in
      entry.member("id", id)
      entry.member("url", url)
    }
    return writer.take() + [UInt8(ascii: "\n")]
  }
}

extension ManifestUpdate.Report {
  /// The document that `init --manifest-only --json` prints.
  package var json: [UInt8] {
    var writer = JSONWriter(indent: 2)
    writer.object { object in
      object.member("manifest", manifest)
      object.member("images", images)
      object.member("added", added)
      object.member("removed", removed)
      if !needs.isEmpty { object.member("needs", needs) }
      object.member("skipped", skipped)
    }
    return writer.take() + [UInt8(ascii: "\n")]
  }
}
