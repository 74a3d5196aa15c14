internal import TesseraPipelineFile
internal import TesseraSystem
internal import TesseraText

/// The images in the folders of a pipeline that came after its manifest was written, and are not in it.
struct UnlistedFiles {
  /// Relative to the folder.
  private var names: [String] = []
  /// How many more files of the list seem to have come after it than not. If most have, the folder was copied, or got another
  /// owner, and the times say nothing.
  private var newOfList = 0
  /// Whether not all was looked at.
  private var isPart = false
  private let listed: Set<ImagePlace>
  /// In seconds since 1970.
  private let since: Double
  private let end: ContinuousClock.Instant

  /// Longer manifests, of some 80,000 images, are not compared, and a run does not look at files for longer.
  private static let longest = 8 << 20
  private static let patience = Duration.seconds(1)
  private static let examples = 3

  /// A sentence for each folder that has some, with the command that takes them in.
  ///
  /// - Parameter path: of the pipeline file. Only for the manifest that `init` writes beside it: others are made by programs.
  static func notes(_ path: String, _ pipeline: PipelineFile) -> [String] {
    let folder = FileSystem.parent(of: path)
    guard FileSystem.name(of: path).isSame(as: PipelineFile.standardName),
      case .file(let manifest) = pipeline.manifest,
      manifest.isSame(as: FileSystem.join(folder, NewPipeline.manifest)),
      (FileSystem.size(ofFile: manifest) ?? .max) <= longest,
      let lines = try? ManifestLines(of: manifest, base: pipeline.base).lines,
      let written = try? Directory(folder).sizeAndChange(of: NewPipeline.manifest)?.changed
    else { return [] }
    let end = ContinuousClock.now + patience
    let roots = pipeline.fetch.folders.compactMap { place in
      FileSystem.realPath(place).map { (place, path: $0) }
    }
    return roots.compactMap { place, root in
      // A folder in another one that is permitted has been looked at with it.
      let isInner = roots.contains { root.begins(with: $0.path + "/") }
      guard !isInner, !FirstSources.isOutput(root) else { return nil }
      var files = UnlistedFiles(listed: Set(lines.map(\.place)), since: written, end: end)
      files.look(in: root, prefix: "")
      return files.note(of: place, folder)
    }
  }

  private init(listed: Set<ImagePlace>, since: Double, end: ContinuousClock.Instant) {
    (self.listed, self.since, self.end) = (listed, since, end)
  }

  private func note(of place: String, _ folder: String) -> String? {
    guard !names.isEmpty, newOfList <= 0 else { return nil }
    let count = (isPart ? "at least " : "") + Amount.count(names.count, "image")
    let some = names.prefix(Self.examples).joined(separator: ", ")
    let words =
      ["tessera", "init"] + (folder == "." ? [] : [folder])
      + ["--manifest-only", "--from", place.begins(with: "-") ? "./\(place)" : place]
    return
      "\(place) has \(count) that came after the list (\(some)\(names.count > Self.examples ? ", …" : "")); "
      + "to add \(names.count == 1 ? "it" : "them"): "
      + words.map(ShellWords.word).joined(separator: " ")
  }

  /// Files that were there when the list was written are not in it because a person has left them out. What can't be read has nothing.
  private mutating func look(in folder: String, prefix: String) {
    guard let directory = try? Directory(folder), let entries = try? directory.list() else {
      return
    }
    for name in entries {
      guard ContinuousClock.now < end else {
        isPart = true
        return
      }
      let path = FileSystem.join(folder, name)
      switch FirstSources.kind(of: name, in: directory, path) {
      case .folder: look(in: path, prefix: "\(prefix)\(name)/")
      case .file:
        let isNew = (directory.arrival(of: name) ?? 0) > since
        if listed.contains(ImagePlace(FirstSources.url(of: path))) {
          newOfList += isNew ? 1 : -1
        } else if isNew, FirstSources.isImage(path) {
          names.append(prefix + name)
        }
      case .hidden, .output, .link: break
      }
    }
  }
}
