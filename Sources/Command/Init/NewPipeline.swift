internal import TesseraJSON
internal import TesseraManifest
internal import TesseraPipeline
internal import TesseraSystem
internal import TesseraText

/// Writes the files that a new pipeline begins with: `pipeline.yaml`, and a manifest unless there is one.
struct NewPipeline {
  /// What was written.
  struct Report: Sendable, JSONDocument {
    let schema = "tessera-init/1"
    var pipeline: String
    /// The manifest, whether it was written or existed.
    var manifest: String
    /// Images in the manifest; nil if no image was named, and for a list at a URL.
    var images: Int?
    /// Lines of the list that can't be used.
    @Omitting(0) var problems = 0
    /// As ``OmittedRows`` counts them.
    @Omitting(0) var imageless = 0
    @Omitting(0) var unpublished = 0
    /// Where the list has what, if it is the export of a shop system. The pipeline file has it.
    var columns: ColumnMapping?
    /// The same on one line, as the pipeline file has it.
    var columnsText: String? { columns?.yaml }
    /// Whether the mapping follows from what is in the rows: a person should look at it.
    var isGuessed = false
    /// Whether the columns name one of ids.
    var hasIDs: Bool { columns?.columns[.id] != nil }
    /// Whether the list has paths, and the pipeline file has an example of what is before them.
    var needsPrefix: Bool { columns?.hasExamplePrefix == true }
    /// What the list needs beyond the public internet, as `fetch.allow` has it. The pipeline file has it in a comment.
    @Omitting([]) var needs: [String] = []
    /// URLs that are encoded, because they have characters that a URL can't have.
    @Omitting(0) var encoded = 0
    /// What the folders hold besides.
    var leftOut: LeftOut
    /// The names of that.
    let skipped: [String]

    private enum CodingKeys: CodingKey {
      case schema, pipeline, manifest, images, problems, imageless, unpublished, columns, needs
      case encoded, skipped, leftOut
    }
  }

  /// Where a run of the new pipeline writes.
  static let output = "output"
  /// The manifest that it writes.
  static let manifest = "manifest.jsonl"

  /// - Parameters:
  ///   - folder: is created if it is missing.
  ///   - sources: images, folders of images, URLs, or one list of them; may be empty.
  /// - Throws: ``TesseraError`` if a source can't be used, or a file exists: nothing is replaced; or
  ///   `CancellationError`.
  static func write(
    into folder: String, from sources: [String]
  ) async throws -> Report {
    guard !FileSystem.exists(folder) || FileSystem.isDirectory(folder) else {
      throw TesseraError(
        .local, "\"\(folder)\" is a file, and the pipeline is written into a folder",
        remedy: "if its images are to be the first ones: tessera init --from \(folder)")
    }
    let pipeline = FileSystem.join(folder, "pipeline.yaml")
    var manifest = FileSystem.join(folder, Self.manifest)
    var first = try FirstSources(sources)
    try expectFree(first.images.isEmpty ? [pipeline] : [pipeline, manifest])
    try await first.readList()
    if let list = first.list {
      manifest = list.contains("://") ? list : FileSystem.realPath(list) ?? list
    }
    var named = first.list == nil ? Self.manifest : manifest
    // What is below it is named relative to it, so that it can be moved.
    let home = FileSystem.realPath(folder).map(ProjectFolder.init)
    if first.list != nil { named = home?.name(of: manifest) ?? manifest }
    for name in [named] + first.permissions where name.contains("${") {
      throw TesseraError(
        .local,
        "\"\(name)\" has \"${\" in it, and in a pipeline file that begins a variable of the environment",
        remedy: "rename it")
    }
    let found = first.found
    let text = PipelineTemplate(
      manifest: named, base: home.flatMap { $0.base(of: first.images) },
      columns: found?.columns, output: output,
      permissions: first.permissions.map { home?.permission($0) ?? $0 }, needs: found?.needs ?? []
    ).text
    try create(
      (pipeline, Array(text.utf8)),
      first.images.isEmpty ? nil : (manifest, first.images.flatMap { $0.manifestLine(in: home) }),
      in: folder)
    return Report(
      pipeline: pipeline, manifest: manifest,
      images: first.list == nil && !sources.isEmpty ? first.images.count : found?.images,
      problems: found?.problems ?? 0, imageless: found?.omitted.imageless ?? 0,
      unpublished: found?.omitted.unpublished ?? 0, columns: found?.columns,
      isGuessed: found?.isGuessed ?? false, needs: found?.needs ?? [],
      encoded: found?.encoded ?? first.encoded, leftOut: first.leftOut, skipped: first.leftOut.all)
  }

  /// Nothing is replaced.
  private static func expectFree(_ paths: [String]) throws {
    guard let path = paths.first(where: FileSystem.exists) else { return }
    throw TesseraError(
      .local, "\"\(path)\" exists already",
      remedy: "remove it, or name another folder"
        + (paths.count == 1 ? "" : "; --manifest-only lists the images again"), subject: path)
  }

  private typealias Document = (path: String, text: [UInt8])

  /// Creates both files, or none.
  private static func create(
    _ pipeline: Document, _ manifest: Document?, in folder: String
  ) throws {
    let isNew = !FileSystem.exists(folder)
    do {
      try FileSystem.makeDirectory(folder)
      try create(pipeline, manifest)
    } catch {
      // It stays if anything is in it. If removing fails, the error that ended the work is what matters.
      if isNew { try? FileSystem.removeDirectory(folder) }
      throw error
    }
  }

  private static func create(_ pipeline: Document, _ manifest: Document?) throws {
    // Both are complete on the disk before one of them has its name.
    let draft = try DocumentDraft(pipeline.text, for: pipeline.path)
    guard let manifest else {
      try Task.checkCancellation()
      return try draft.create()
    }
    let list = try DocumentDraft(manifest.text, for: manifest.path)
    try Task.checkCancellation()
    try list.create()
    do {
      // Last: a pipeline file that exists has its manifest.
      try draft.create()
    } catch {
      try? FileSystem.remove(manifest.path)
      throw error
    }
  }
}

/// The text of a new pipeline file: what has to be decided, with the reasons, and what is usually changed
/// next, in comments.
struct PipelineTemplate {
  let manifest: String
  /// What relative URLs in it are relative to; nil if it has none.
  let base: String?
  /// Where the list has what; nil if it has Tessera's own names.
  let columns: ColumnMapping?
  let output: String
  /// What runs may read besides the public internet.
  let permissions: [String]
  /// What the list needs besides; left to the person.
  let needs: [String]

  var text: String {
    """
    # A Tessera pipeline: which images, which sizes, and how. "tessera check" finds mistakes, "tessera plan"
    # says what a run would make, "tessera run" makes it, "tessera gallery \(output)" shows it.
    # All keys: tessera schema --keys.

    # The list of images: one URL on a line, CSV with a header, or JSON Lines such as
    # {"id": "p1", "url": "https://example.com/p1.jpg", "alt": "A red bridge"}.
    manifest: \(quoted(manifest))
    \(baseLines)\(columnLines)
    # Gets catalog.json, run.json and variants/.
    output: \(quoted(output))

    # The URL that will serve the output; clients put it before a file's path.
    # base-url: https://cdn.example.com/images/

    # The places that your layout has for images, in points.
    slots:
      thumb: {size: 96x96, mode: clip}      # cropped to a square
      card:  {size: 320x, aspect: [1:2, 2:1]}  # 320 points wide, 160 to 640 high
      hero:  {size: 1024x576, mode: fill}   # covers the place

    # Device pixels per point: the screens to make files for.
    scales: [1, 2, 3]

    # variants:
    #   format: webp            # or a list: [avif, webp, jpeg]
    #   quality: 80

    \(fetch)

    """
  }

  /// With a line end before and after, or empty.
  private var baseLines: String {
    guard let base else { return "" }
    return """

      # What relative URLs in the list are relative to: the folder of this file.
      base: \(quoted(base))

      """
  }

  /// The same.
  private var columnLines: String {
    guard let columns else { return "" }
    let prefix =
      !columns.hasExamplePrefix
      ? "" : "\n# The list has paths: put the address of your images into \"prefix\"."
    return """

      # The columns of the list that have the URLs, the ids and the descriptions.\(prefix)
      columns: \(columns.yaml)

      """
  }

  private var fetch: String {
    let allow =
      needs.isEmpty
      ? "[loopback]       # or private, or files:/a/folder; else runs read the public internet only"
      : "\(list(needs))  # the manifest has images there; permit them if it is your own"
    let usual = """
      # fetch:
      #   allow: \(allow)
      #   per-host: 6             # requests at a time to one host
      #   headers: {Authorization: "Bearer ${TOKEN}"}
      #   user-agent: \(contact)
      """
    if permissions.isEmpty { return usual }
    return """
      fetch:
        # Runs read the public internet only, and what is named here.
        allow: \(list(permissions))
        # per-host: 6             # requests at a time to one host
        # user-agent: \(contact)
      """
  }

  private var contact: String {
    "\"\(UserAgent.standard) (+https://your.site/bot)\"  # how owners of images reach you"
  }

  private func list(_ words: [String]) -> String { JSONValue.array(words.map { .string($0) }).yaml }

  private func quoted(_ text: String) -> String { JSONValue.string(text).yaml }
}
