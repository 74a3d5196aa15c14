internal import TesseraFetch
package import TesseraJSON
internal import TesseraManifest
internal import TesseraPipeline
internal import TesseraPipelineFile
internal import TesseraSystem
internal import TesseraText

/// Brings the manifest of a pipeline up to date with its images.
///
/// A line stays as it is, with its id and whatever was added to it. It is removed only if its file does not exist below a
/// named folder in which images were found: a folder without any may be a disk that is not mounted. New images follow
/// at the end. A manifest that loses lines is kept under another name.
package struct ManifestUpdate {
  package struct Report: Sendable, JSONDocument {
    package let schema = "tessera-manifest-update/1"
    /// The manifest that was written.
    package var manifest: String
    package var images: Int
    package var added: Int
    package var removed: Int
    /// Where the manifest is kept as it was; nil if no line was removed.
    package var before: String?
    /// What the pipeline does not permit and a run would need, as `fetch.allow` has it.
    @Omitting([]) package var needs: [String] = []
    /// As ``NewPipeline/Report/encoded``.
    @Omitting(0) package var encoded = 0
    /// As ``NewPipeline/Report/leftOut``.
    package var leftOut: LeftOut
    /// As ``NewPipeline/Report/skipped``.
    let skipped: [String]

    private enum CodingKeys: CodingKey {
      case schema, manifest, images, added, removed, before, needs, encoded, skipped, leftOut
    }
  }

  /// - Parameters:
  ///   - folder: with the `pipeline.yaml` that names the manifest.
  ///   - sources: images, folders of images and URLs; not a list.
  /// - Throws: the pipeline file's mistakes, or ``PipelineError``: also if more lines would be removed than a run
  ///   accepts by default. The manifest is then as it was.
  package static func write(in folder: String, from sources: [String]) throws -> Report {
    let pipeline = FileSystem.join(folder, PipelineFile.standardName)
    let file = try PipelineFile.load(pipeline, manifest: nil, output: nil)
    guard case .file(let manifest) = file.manifest, manifest.hasSuffix(".jsonl") else {
      throw PipelineError.local(
        "the manifest of \"\(pipeline)\" is not a .jsonl file; --manifest-only writes no other")
    }
    let old = try ManifestLines(of: manifest)
    let known = Set(old.lines.map(\.place))
    // Of a line without an id also the one that a run derives.
    let ids = Set<Identifier>(
      of: old.lines.flatMap { $0.id.isSame(as: $0.url) ? [$0.id, file.shown($0.url)] : [$0.id] })
    let first = try FirstSources(sources, known: known, ids: ids)
    guard !first.images.isEmpty else {
      throw PipelineError.local(
        "a list is a manifest by itself; --manifest-only needs images, folders or URLs")
    }
    let lines = old.lines.filter { !first.lacks($0.place) }
    try check(lines.count, of: old.lines.count, manifest)
    let added = first.images.filter { !known.contains(ImagePlace($0.url)) }
    let text = lines.flatMap { $0.bytes + [UInt8(ascii: "\n")] } + added.flatMap(\.manifestLine)
    let removed = old.lines.count - lines.count
    // The file itself, where the path is a link to it.
    let place = FileSystem.isLink(manifest) ? FileSystem.realPath(manifest) ?? manifest : manifest
    let before = removed > 0 ? place + ".before" : nil
    do {
      try replace(place, old, with: text, keepingAs: before)
    } catch let error as SystemError {
      throw PipelineError.system(error)
    }
    let settings = file.fetch.fetchSettings
    let isRefused = added.contains { settings.refusal(ofSource: $0.url) != nil }
    return Report(
      manifest: manifest, images: lines.count + added.count, added: added.count, removed: removed,
      before: before, needs: isRefused ? first.permissions : [], encoded: first.encoded,
      leftOut: first.leftOut, skipped: first.leftOut.all)
  }

  /// The limit is the default and not the pipeline's: that one is for lists that programs write.
  private static func check(
    _ kept: Int, of count: Int, _ manifest: String
  ) throws(PipelineError) {
    let limit = PipelineFile(reading: .file(manifest)).shrinkAbove
    let shrinking = ShrinkGuard(limit: limit, before: count)
    guard shrinking.reason(toRejectItems: kept) != nil else { return }
    let share = kept == 0 ? "all" : "more than \(Units.text(percentage: limit))"
    throw .local(
      "\"\(manifest)\" would lose \(count - kept) of \(count) images (\(share)), because their files do not exist; "
        + "nothing was written; check that the folders are mounted and complete, or remove the manifest to begin again"
    )
  }

  /// - Parameter before: where the old manifest is kept; nil if it has no line that the new one lacks.
  private static func replace(
    _ place: String, _ old: ManifestLines, with text: [UInt8], keepingAs before: String?
  ) throws {
    guard FileSystem.exists(place) else {
      let draft = try DocumentDraft(text, for: place)
      try Task.checkCancellation()
      return try draft.create()
    }
    // Both are complete on the disk before one of them has its name.
    let draft = try DocumentDraft(text, for: place, like: place)
    if let before {
      let kept = try DocumentDraft(old.bytes, for: before, like: place)
      try Task.checkCancellation()
      try kept.replace()
    } else {
      try Task.checkCancellation()
    }
    try draft.replace()
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
