internal import Glibc
internal import TesseraJSON
internal import TesseraManifest
internal import TesseraNet
internal import TesseraOutput
internal import TesseraPipeline
internal import TesseraPipelineFile
internal import TesseraState
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
  ///   - sources: images, folders of images and URLs; not a list.
  /// - Throws: the pipeline file's mistakes, or ``TesseraError``: also if more lines would be removed than a run
  ///   accepts by default. The manifest is then as it was.
  static func write(in folder: String, from sources: [String]) async throws -> Report {
    let pipeline = FileSystem.join(folder, PipelineFile.standardName)
    let file = try PipelineFile.load(pipeline, manifest: nil, output: nil)
    guard case .file(let manifest) = file.manifest, manifest.hasSuffix(".jsonl") else {
      throw TesseraError(
        .local,
        "the manifest of \"\(pipeline)\" is not a .jsonl file; --manifest-only writes no other")
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
    let moved = try await MovedImages(from: old, to: new, in: file).urls
    let urls = Set<Identifier>(of: Array(moved.values))
    let added = new.filter { !urls.contains($0.url) }
    let home = ProjectFolder(base: file.base)
    let lines = old.lines.filter { moved[$0.place] != nil || !first.lacks($0.place) }
    try check(lines.count, of: old.lines.count, manifest)
    let text =
      lines.flatMap { line in
        (moved[line.place].map { line.moved(to: $0, in: home) } ?? Array(line.bytes))
          + [UInt8(ascii: "\n")]
      } + added.flatMap { $0.manifestLine(in: home) }
    let removed = old.lines.count - lines.count
    // The file itself, where the path is a link to it.
    let place = FileSystem.isLink(manifest) ? FileSystem.realPath(manifest) ?? manifest : manifest
    let before = removed + moved.count > 0 ? place + ".before" : nil
    try replace(place, old, with: text, keepingAs: before)
    let settings = file.fetch.fetchSettings
    let isRejected = new.contains { settings.rejection(ofSource: $0.url) != nil }
    return Report(
      manifest: manifest, images: lines.count + added.count, added: added.count,
      moved: moved.count, removed: removed, before: before,
      needs: isRejected ? first.permissions.map { home?.permission($0) ?? $0 } : [],
      encoded: first.encoded, leftOut: first.leftOut, skipped: first.leftOut.all)
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

/// The lines of a manifest that is brought up to date.
struct ManifestLines {
  struct Line {
    /// The line's own id, or the URL that takes its place.
    let id: String
    let url: String
    let place: ImagePlace
    let bytes: ArraySlice<UInt8>

    /// The line with another URL, and all else as it is.
    func moved(to url: String, in home: ProjectFolder?) -> [UInt8] {
      let url = JSONValue.string(home?.reference(to: url) ?? url)
      guard case .object(let members)? = try? JSONParser.parse(Array(bytes)) else {
        return Array(bytes)
      }
      var writer = JSONWriter()
      // Without an id, the URL was it.
      let named = members.contains { $0.name == "id" } ? [] : [JSONValue.Member("id", .string(id))]
      writer.value(
        .object(named + members.map { $0.name == "url" ? .init("url", url) : $0 }))
      return writer.take()
    }
  }

  private(set) var lines: [Line] = []
  /// The file as it is.
  private(set) var bytes: [UInt8] = []

  /// A manifest that `init` writes is shorter; a longer one comes from a program.
  private static let longest = 256 << 20

  /// A missing manifest has no lines.
  ///
  /// - Parameter base: of relative URLs; nil if they are mistakes.
  init(of manifest: String, base: String?) throws {
    guard FileSystem.exists(manifest) else { return }
    bytes = try FileSystem.read(manifest, limit: Self.longest)
    let all = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    for (number, line) in all.enumerated() where !line.isEmpty {
      let entry = try? JSONParser.parse(Array(line))
      guard let url = entry?["url"]?.stringValue.flatMap({ Self.absolute($0, base) }) else {
        throw TesseraError(
          .local,
          "line \(number + 1) of \"\(manifest)\" has no \(base == nil ? "absolute " : "")URL",
          remedy: "correct it, or edit the manifest by hand")
      }
      let id = entry?["id"]?.stringValue ?? url
      lines.append(Line(id: id, url: url, place: ImagePlace(url), bytes: line))
    }
  }

  private static func absolute(_ url: String, _ base: String?) -> String? {
    guard let base else { return SourceURL.scheme(of: url) == nil ? nil : url }
    return URLReference.resolve(url, against: base)
  }
}

/// Images of a list whose files have other paths now, by what the last run knows of their contents.
struct MovedImages {
  /// The URL of the file by the place that the list has.
  private(set) var urls: [ImagePlace: String] = [:]

  /// - Parameters:
  ///   - list: as it is.
  ///   - files: images that the list does not have.
  ///   - pipeline: whose output on a disk has the state.
  init(from list: ManifestLines, to files: [FirstSources.Image], in pipeline: PipelineFile)
    async throws
  {
    let missing = list.lines.filter(\.place.isMissing)
    let candidates = files.compactMap { file in ImagePlace(file.url).path.map { (file, path: $0) } }
    guard !missing.isEmpty, !candidates.isEmpty, !OpenOutput.isInStore(pipeline.output),
      FileSystem.isDirectory(pipeline.output)
    else { return }
    let states = try await OutputFolder(pipeline.output).existingStates()
    guard !states.isEmpty else { return }
    var byContent: [Identifier: [FirstSources.Image]] = [:]
    for (file, path) in candidates {
      try Task.checkCancellation()
      let digest = try Directory(FileSystem.parent(of: path)).sha256(of: FileSystem.name(of: path))
      byContent[Identifier(digest), default: []].append(file)
    }
    for line in missing {
      guard let content = try await Identifier(Self.content(of: line, in: states, pipeline)),
        var found = byContent[content], !found.isEmpty
      else { continue }
      // Of several copies the one with the name.
      let name = FileSystem.name(of: line.url)
      let index = found.firstIndex { FileSystem.name(of: $0.url).isSame(as: name) } ?? 0
      urls[line.place] = found.remove(at: index).url
      byContent[content] = found
    }
  }

  private static func content(
    of line: ManifestLines.Line, in states: [OutputFolder.ExistingState], _ pipeline: PipelineFile
  ) async throws -> String? {
    let id = line.id.isSame(as: line.url) ? pipeline.shown(line.url) : line.id
    for state in states {
      if let content = try await state.store.history(of: id)?.content { return content }
    }
    return nil
  }
}

/// A document that is on the disk, complete, and gets its name next. Without it, nothing of it remains.
struct DocumentDraft: ~Copyable {
  private let target: String
  private let draft: OpenDraft

  /// Writes the document beside its target.
  ///
  /// - Parameters:
  ///   - target: its path; not a link.
  ///   - old: a file whose owner, group and mode it gets; nil for those of a new file.
  init(_ text: [UInt8], for target: String, like old: String? = nil) throws(SystemError) {
    let draft = try OpenDraft(target)
    do throws(SystemError) {
      try Self.write(text, to: draft.path, like: old)
    } catch {
      // A person knows the target, and not its draft.
      throw SystemError(error.operation, target, code: error.code)
    }
    self.target = target
    self.draft = draft
  }

  private static func write(
    _ text: [UInt8], to path: String, like old: String?
  ) throws(SystemError) {
    let file = try File(path, .create)
    if let old { try take(old, file) }
    try file.write(text)
    // Before the rename: otherwise the new name could be on the disk before the bytes are.
    try file.synchronize()
  }

  private static func take(_ old: String, _ file: borrowing File) throws(SystemError) {
    var status = stat()
    guard stat(old, &status) == 0 else { throw SystemError("examine", old) }
    // Only root may give a file away; for others, the one who writes it owns it.
    if geteuid() == 0, fchown(file.descriptor, status.st_uid, status.st_gid) != 0 {
      throw SystemError("set the owner of", file.path)
    }
    // After the owner, because a change of owner may reset the mode.
    try file.takePermissions(of: old)
  }

  /// Gives it its name, in place of a file that has it.
  func replace() throws(SystemError) {
    try draft.publish()
    try synchronizeFolder()
  }

  /// Gives it its name, unless a file has it. If that fails, nothing has the name that did not have it before.
  func create() throws(SystemError) {
    // Unlike a rename, a second name never replaces a file.
    if link(draft.path, target) != 0 {
      guard ![EPERM, EOPNOTSUPP, ENOSYS, EMLINK].contains(errno) else {
        throw SystemError("create", target)
      }
      // The file system has no hard links.
      guard !FileSystem.exists(target) else { throw SystemError("create", target, code: EEXIST) }
      try draft.publish()
    }
    do throws(SystemError) {
      try synchronizeFolder()
    } catch {
      // If removing fails, the error that ended the work is what matters.
      try? FileSystem.remove(target)
      throw error
    }
  }

  private func synchronizeFolder() throws(SystemError) {
    try Directory(FileSystem.parent(of: target)).synchronize()
  }
}
