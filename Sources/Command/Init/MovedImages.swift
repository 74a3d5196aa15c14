internal import TesseraOutput
internal import TesseraPipeline
internal import TesseraPipelineFile
internal import TesseraState
internal import TesseraSystem
internal import TesseraText

/// Images of a list whose files have other paths now, by what the last run knows of their contents, and by their names below
/// a folder that was renamed.
struct MovedImages {
  /// The URL of the file by the place that the list has.
  private(set) var urls: [ImagePlace: String] = [:]
  /// Those of a folder that was renamed and does not have them any more.
  private(set) var gone: Set<ImagePlace> = []

  /// What is known of an image whose file is not where the list has it.
  private struct Missing {
    let place: ImagePlace
    let path: String
    /// The key of the source that the last run saw, and SHA-256 of its bytes.
    let source: String?
    let content: Identifier?
  }

  /// New images that were nowhere before.
  private var left: [ImagePlace: FirstSources.Image] = [:]

  /// - Parameters:
  ///   - list: as it is. Lines without an id of their own stay as they are.
  ///   - files: images that the list does not have.
  ///   - pipeline: whose output on a disk has the state.
  ///   - lacks: whether a place is below a folder that was looked at, and has nothing.
  init(
    from list: ManifestLines, to files: [FirstSources.Image], in pipeline: PipelineFile,
    lacks: (ImagePlace) -> Bool
  ) async throws {
    for file in files where ImagePlace(file.url).path != nil { left[ImagePlace(file.url)] = file }
    guard !left.isEmpty, !OpenOutput.isInStore(pipeline.output),
      FileSystem.isDirectory(pipeline.output)
    else { return }
    var mounts = Mounts()
    let lines = list.lines.filter { line in
      line.hasID && line.place.isMissing && (lacks(line.place) || !mounts.isUnmounted(line.place))
    }
    guard !lines.isEmpty else { return }
    let missing: [Missing]
    do {
      missing = try await Self.known(lines, in: pipeline)
    } catch let error as any ReportedError {
      Console.warn("files that were moved are taken for new ones: \(error)")
      return
    }
    guard missing.contains(where: { $0.content != nil }) else { return }
    try findContents(of: missing)
    try findNames(of: missing, lacks)
  }

  /// Whether what is left of a file's path is an empty folder: a disk that is not mounted.
  private struct Mounts {
    private var known: [Identifier: Bool] = [:]

    mutating func isUnmounted(_ place: ImagePlace) -> Bool {
      place.path.map { isUnmounted(folder: FileSystem.parent(of: $0)) } ?? false
    }

    private mutating func isUnmounted(folder: String) -> Bool {
      if let known = known[Identifier(folder)] { return known }
      let isEmpty =
        FileSystem.exists(folder) || folder == "/"
        ? (try? Directory(folder).list().isEmpty) ?? true
        : isUnmounted(folder: FileSystem.parent(of: folder))
      known[Identifier(folder)] = isEmpty
      return isEmpty
    }
  }

  private static func known(
    _ lines: [ManifestLines.Line], in pipeline: PipelineFile
  ) async throws -> [Missing] {
    let states = try await OutputFolder(pipeline.output).existingStates()
    var missing: [Missing] = []
    for line in lines {
      try Task.checkCancellation()
      var history: StateStore.ItemHistory?
      for state in states where history == nil {
        history = try await state.store.history(of: line.id)
      }
      missing.append(
        Missing(
          place: line.place, path: line.place.path ?? "", source: history?.source,
          content: Identifier(history?.content)))
    }
    return missing
  }

  private mutating func findContents(of missing: [Missing]) throws {
    var byContent: [Identifier: [ImagePlace]] = [:]
    for place in left.keys.sorted(by: { Identifier($0.path ?? "") < Identifier($1.path ?? "") }) {
      try Task.checkCancellation()
      let path = place.path ?? ""
      let digest = try Directory(FileSystem.parent(of: path)).sha256(of: FileSystem.name(of: path))
      byContent[Identifier(digest), default: []].append(place)
    }
    // What is where the last run saw it has not moved: a person has changed the list.
    let present = Set<Identifier>(of: left.values.map { RecordKey.of($0.url) })
    let moved = missing.filter { !(Identifier($0.source).map(present.contains) ?? false) }
    // Of several copies first those with the name.
    for isNamed in [true, false] {
      for image in moved where urls[image.place] == nil {
        guard let content = image.content else { continue }
        let found = byContent[content]?.first { place in
          left[place] != nil && (!isNamed || Self.haveOneName(place.path, image.path))
        }
        if let found { take(found, for: image) }
      }
    }
  }

  private static func haveOneName(_ one: String?, _ other: String) -> Bool {
    FileSystem.name(of: one ?? "").isSame(as: FileSystem.name(of: other))
  }

  private mutating func take(_ place: ImagePlace, for image: Missing) {
    urls[image.place] = left.removeValue(forKey: place)?.url
  }

  // MARK: Folders

  /// Of a folder that was renamed also those of which no run has seen the bytes.
  private mutating func findNames(
    of missing: [Missing], _ lacks: (ImagePlace) -> Bool
  ) throws {
    let renamed = renamedFolders(of: missing)
    guard !renamed.isEmpty else { return }
    for image in missing where urls[image.place] == nil {
      try Task.checkCancellation()
      let old = Self.folders(above: image.path).first { renamed[Identifier($0)] != nil }
      guard let old, let new = renamed[Identifier(old)] else { continue }
      let rest = String(decoding: image.path.utf8.dropFirst(old.utf8.count), as: UTF8.self)
      let place = ImagePlace(FirstSources.url(of: new + rest))
      if left[place] != nil {
        take(place, for: image)
      } else if lacks(place) {
        gone.insert(image.place)
      }
    }
  }

  /// Folders that do not exist any more, with those below which most of their known images are now, by their old names.
  private func renamedFolders(of missing: [Missing]) -> [Identifier: String] {
    var known: [Identifier: Int] = [:]
    for image in missing where image.content != nil {
      for folder in Self.folders(above: image.path) { known[Identifier(folder), default: 0] += 1 }
    }
    var counts: [Identifier: [Identifier: Int]] = [:]
    for (place, url) in urls {
      guard let (old, new) = Self.folders(place.path, ImagePlace(url).path) else { continue }
      counts[Identifier(old), default: [:]][Identifier(new), default: 0] += 1
    }
    var renamed: [Identifier: String] = [:]
    for (old, news) in counts where !FileSystem.exists(old.text) {
      renamed[old] = news.first { $0.value * 2 > known[old, default: 0] }?.key.text
    }
    return renamed
  }

  /// The innermost first.
  private static func folders(above path: String) -> [String] {
    var folders: [String] = []
    var folder = FileSystem.parent(of: path)
    while folder != "/", folder != "." {
      folders.append(folder)
      folder = FileSystem.parent(of: folder)
    }
    return folders
  }

  /// Two paths without the end that they share; nil if not even their last names are the same.
  private static func folders(_ old: String?, _ new: String?) -> (old: String, new: String)? {
    guard var old, var new, haveOneName(old, new) else { return nil }
    while haveOneName(old, new), old != "/", new != "/" {
      (old, new) = (FileSystem.parent(of: old), FileSystem.parent(of: new))
    }
    return (old, new)
  }
}
