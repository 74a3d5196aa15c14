internal import TesseraJSON
internal import TesseraManifest
internal import TesseraNet
internal import TesseraOutput
internal import TesseraPipeline
internal import TesseraPipelineFile
internal import TesseraSystem
internal import TesseraText

/// Brings the manifest of a pipeline up to date with its images.
///
/// A line stays as it is, with its id and whatever was added to it. It is removed only if its file does not exist below a
/// named folder in which images were found: a folder without any may be a disk that is not mounted. New images follow
/// at the end. A manifest that loses lines is kept under another name.
struct ManifestUpdate {
  struct Report: Sendable, JSONDocument {
    let schema = "tessera-manifest-update/1"
    /// The manifest that was written.
    var manifest: String
    var images: Int
    var added: Int
    /// Those that have another path than before.
    @Omitting(0) var moved = 0
    var removed: Int
    /// Where the manifest is kept as it was; nil if no line was removed or changed.
    var before: String?
    /// What the pipeline does not permit and a run would need, as `fetch.allow` has it.
    @Omitting([]) var needs: [String] = []
    /// As ``NewPipeline/Report/encoded``.
    @Omitting(0) var encoded = 0
    /// As ``NewPipeline/Report/leftOut``.
    var leftOut: LeftOut
    /// As ``NewPipeline/Report/skipped``.
    let skipped: [String]

    private enum CodingKeys: CodingKey {
      case schema, manifest, images, added, moved, removed, before, needs, encoded, skipped, leftOut
    }
  }

  /// - Parameters:
  ///   - folder: with the `pipeline.yaml` that names the manifest.
  ///   - sources: images, folders of images and URLs; not a list. Without any, the folders that the pipeline permits,
  ///     and then nothing is added.
  /// - Throws: the pipeline file's mistakes, or ``TesseraError``: also if more lines would be removed than a run
  ///   accepts by default. The manifest is then as it was.
  static func write(in folder: String, from sources: [String]) async throws -> Report {
    let pipeline = FileSystem.join(folder, PipelineFile.standardName)
    let file = try PipelineFile.load(pipeline, manifest: nil, output: nil)
    let manifest = try Self.manifest(of: file, pipeline)
    // What a person has left out is not added because a folder is permitted.
    let adds = !sources.isEmpty
    let sources = adds ? sources : file.fetch.folders.filter(FileSystem.isDirectory)
    guard !sources.isEmpty else {
      throw TesseraError(
        .local, "\"\(pipeline)\" permits no folder that exists",
        remedy: "name the images to list: --from FOLDER", subject: pipeline)
    }
    let old = try ManifestLines(of: manifest, base: file.base)
    let known = Set(old.lines.map(\.place))
    // Of a line without an id also the one that a run derives.
    let ids = Set<Identifier>(
      of: old.lines.flatMap { $0.id.isSame(as: $0.url) ? [$0.id, file.shown($0.url)] : [$0.id] })
    let first = try FirstSources(sources, known: known, ids: ids)
    guard !first.images.isEmpty else {
      throw TesseraError(
        .local, "a list is a manifest by itself; --manifest-only needs images, folders or URLs")
    }
    let new = first.images.filter { !known.contains(ImagePlace($0.url)) }
    let images = try await MovedImages(from: old, to: new, in: file, lacks: first.lacks)
    let urls = Set<Identifier>(of: Array(images.urls.values))
    let added = adds ? new.filter { !urls.contains($0.url) } : []
    let lines = old.lines.filter { line in
      images.urls[line.place] != nil
        || !first.lacks(line.place) && !images.gone.contains(line.place)
    }
    try check(lines.count, of: old.lines.count, manifest)
    let home = ProjectFolder(base: file.base)
    let text =
      lines.flatMap { line in
        (images.urls[line.place].map { line.moved(to: $0, in: home) } ?? Array(line.bytes))
          + [UInt8(ascii: "\n")]
      } + added.flatMap { $0.manifestLine(in: home) }
    let removed = old.lines.count - lines.count
    let before = try old.replace(by: text, keepsOld: removed + images.urls.count > 0)
    let settings = file.fetch.fetchSettings
    let isRejected = new.contains { settings.rejection(ofSource: $0.url) != nil }
    // Paths in the pipeline are relative to its own folder, whatever the base is.
    let project = FileSystem.realPath(folder).map(ProjectFolder.init)
    return Report(
      manifest: manifest, images: lines.count + added.count, added: added.count,
      moved: images.urls.count, removed: removed, before: before,
      needs: isRejected ? first.permissions.map { project?.permission($0) ?? $0 } : [],
      encoded: first.encoded, leftOut: first.leftOut, skipped: first.leftOut.all)
  }

  private static func manifest(of file: PipelineFile, _ pipeline: String) throws -> String {
    guard case .file(let manifest) = file.manifest, manifest.hasSuffix(".jsonl") else {
      throw TesseraError(
        .local,
        "the manifest of \"\(pipeline)\" is not a .jsonl file; --manifest-only writes no other")
    }
    return manifest
  }

  /// The limit is the default and not the pipeline's: that one is for lists that programs write.
  private static func check(
    _ kept: Int, of count: Int, _ manifest: String
  ) throws {
    let limit = PipelineFile(reading: .file(manifest)).shrinkAbove
    let shrinking = ShrinkGuard(limit: limit, before: count, guardsFew: false)
    guard shrinking.reason(toRejectItems: kept) != nil else { return }
    let share = kept == 0 ? "all" : "more than \(Units.text(percentage: limit))"
    throw TesseraError(
      .local,
      "\"\(manifest)\" would lose \(count - kept) of \(count) images (\(share)), because their files do not exist; nothing was written",
      remedy:
        "check that the folders are mounted and complete, or remove the manifest to begin again"
    )
  }
}

extension FirstSources.Image {
  /// `{"id": …, "url": …}` and a line feed.
  ///
  /// - Parameter home: what its URL is relative to, if it is below; nil for a manifest without relative URLs.
  func manifestLine(in home: ProjectFolder?) -> [UInt8] {
    var writer = JSONWriter()
    writer.object { entry in
      entry.member("id", id)
      entry.member("url", home?.reference(to: url) ?? url)
    }
    return writer.take() + [UInt8(ascii: "\n")]
  }
}
