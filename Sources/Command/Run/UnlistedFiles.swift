internal import TesseraPipelineFile
internal import TesseraSystem
internal import TesseraText

/// The images in the folders of a pipeline that its manifest does not have, because they came after it.
struct UnlistedFiles {
  private let listed: Set<ImagePlace>
  /// Files that may still be looked at.
  private var left = 100_000
  /// Relative to the folder.
  private var names: [String] = []

  /// Longer manifests, of some 80,000 images, are not compared: a run would take seconds for it.
  private static let longest = 8 << 20
  private static let examples = 3

  private init(listed: Set<ImagePlace>) { self.listed = listed }

  /// A sentence for each folder that has some, with the command that takes them in.
  ///
  /// - Parameter path: of the pipeline file. Only for the manifest that `init` writes beside it: others are made by programs.
  static func notes(_ path: String, _ pipeline: PipelineFile) -> [String] {
    let folder = FileSystem.parent(of: path)
    guard FileSystem.name(of: path).isSame(as: PipelineFile.standardName),
      case .file(let manifest) = pipeline.manifest,
      manifest.isSame(as: FileSystem.join(folder, NewPipeline.manifest)),
      (FileSystem.size(ofFile: manifest) ?? .max) <= longest,
      let lines = try? ManifestLines(of: manifest, base: pipeline.base).lines
    else { return [] }
    return pipeline.fetch.folders.compactMap { place in
      var files = UnlistedFiles(listed: Set(lines.map(\.place)))
      guard let root = FileSystem.realPath(place), (try? files.look(in: root, prefix: "")) != nil,
        !files.names.isEmpty
      else { return nil }
      return files.note(of: place, folder)
    }
  }

  private func note(of place: String, _ folder: String) -> String {
    let count = Amount.count(names.count, "image")
    let words =
      ["tessera", "init"] + (folder == "." ? [] : [folder])
      + ["--manifest-only", "--from", place.hasPrefix("-") ? "./\(place)" : place]
    return
      "\(place) has \(count) that the list does not have (\(names.prefix(Self.examples).joined(separator: ", "))"
      + "\(names.count > Self.examples ? ", …" : "")); to add \(names.count == 1 ? "it" : "them"): "
      + words.map(ShellWords.word).joined(separator: " ")
  }

  /// - Throws: if a folder can't be read, or has too many files.
  private mutating func look(in folder: String, prefix: String) throws {
    let directory = try Directory(folder)
    for name in try directory.list() where !name.hasPrefix(".") {
      let path = FileSystem.join(folder, name)
      switch directory.kind(of: name) {
      case .folder where !FirstSources.isOutput(path):
        try look(in: path, prefix: "\(prefix)\(name)/")
      case .file:
        left -= 1
        guard left > 0 else { throw CancellationError() }
        if !listed.contains(ImagePlace(FirstSources.url(of: path))), FirstSources.isImage(path) {
          names.append(prefix + name)
        }
      case .folder, .link, .other, nil: break
      }
    }
  }
}
