internal import TesseraJSON
internal import TesseraPipeline
internal import TesseraSystem

/// Writes the files that a new pipeline begins with: `pipeline.yaml`, and a manifest unless there is one.
package struct NewPipeline {
  /// What was written.
  package struct Report: Sendable {
    package var pipeline: String
    /// The manifest, whether it was written or existed.
    package var manifest: String
    /// Images in the manifest; nil if no image was named, and for a list at a URL.
    package var images: Int?
    /// Lines of the list that can't be used.
    package var problems: Int
    /// What the list needs beyond the public internet, as `fetch.allow` has it. The pipeline file has it in a comment.
    package var needs: [String]
    /// What the folders hold besides: files that are not images, and outputs of runs.
    package var skipped: [String]
  }

  /// Where a run of the new pipeline writes.
  package static let output = "output"
  private static let manifest = "manifest.jsonl"

  /// - Parameters:
  ///   - folder: is created if it is missing.
  ///   - sources: images, folders of images, URLs, or one list of them; may be empty.
  /// - Throws: ``PipelineError`` if a source can't be used, or a file exists: nothing is replaced; or
  ///   `CancellationError`.
  package static func write(
    into folder: String, from sources: [String]
  ) async throws -> Report {
    let pipeline = FileSystem.join(folder, "pipeline.yaml")
    var manifest = FileSystem.join(folder, Self.manifest)
    var first = try FirstSources(sources)
    for path in [pipeline] + (first.images.isEmpty ? [] : [manifest])
    where FileSystem.exists(path) {
      throw PipelineError.local(
        "\"\(path)\" exists already; remove it, or name another folder"
          + (first.images.isEmpty ? "" : "; --manifest-only lists the images again"))
    }
    try await first.readList()
    try PipelineError.wrap { try FileSystem.makeDirectory(folder) }
    if let list = first.list {
      manifest = list.contains("://") ? list : FileSystem.realPath(list) ?? list
    }
    if !first.images.isEmpty { try write(first.images.flatMap(\.manifestLine), to: manifest) }
    // Last: a pipeline file that exists has its manifest.
    var named = first.list == nil ? Self.manifest : manifest
    if first.list != nil, FileSystem.realPath(folder) == FileSystem.parent(of: manifest) {
      // So that the folder can be moved.
      named = FileSystem.name(of: manifest)
    }
    let text = PipelineTemplate(
      manifest: named, output: output, permissions: first.permissions,
      needs: first.found?.needs ?? []
    ).text
    try write(Array(text.utf8), to: pipeline)
    return Report(
      pipeline: pipeline, manifest: manifest,
      images: first.list == nil && !sources.isEmpty ? first.images.count : first.found?.images,
      problems: first.found?.problems ?? 0, needs: first.found?.needs ?? [],
      skipped: first.skipped)
  }

  private static func write(_ bytes: [UInt8], to path: String) throws(PipelineError) {
    let file = try PipelineError.wrap { try File(path, .create) }
    do throws(SystemError) {
      try file.write(bytes)
    } catch {
      throw .local(error.description)
    }
  }
}

extension NewPipeline.Report {
  /// The document that `init --json` prints.
  package var json: [UInt8] {
    var writer = JSONWriter(indent: 2)
    writer.object { object in
      object.member("pipeline", pipeline)
      object.member("manifest", manifest)
      if let images { object.member("images", images) }
      if problems > 0 { object.member("problems", problems) }
      if !needs.isEmpty { object.member("needs", needs) }
      object.member("skipped", skipped)
    }
    return writer.take() + [UInt8(ascii: "\n")]
  }
}
