internal import TesseraManifest
internal import TesseraNet
internal import TesseraPipeline
internal import TesseraPipelineFile
internal import TesseraSystem
internal import TesseraText

/// What a list of images shows of the pipeline that it needs.
struct ListFindings {
  private(set) var images = 0
  /// Lines that can't be used.
  private(set) var problems = 0
  /// Rows and items of a feed that are not images.
  private(set) var omitted = OmittedRows()
  /// Where the list has what, as its header row shows; nil if it has Tessera's own names.
  private(set) var columns: ColumnMapping?
  /// URLs that are encoded.
  private(set) var encoded = 0
  /// What a run would have to be permitted, as `fetch.allow` has it. A person has to decide: others may have written the list.
  var needs: [String] { words.sorted() + folders.map { PipelineFile.Fetch.folderMark + $0 } }

  /// Whether ``columns`` follow from what is in the rows, and not from the header row of a system that is known.
  private(set) var isGuessed = false

  private var suggestion: ColumnMapping?
  private var firstProblem: ManifestProblem?
  private var words: Set<String> = []
  private var folders: [String] = []

  /// With more folders, the one that holds all of them is permitted.
  private static let listedFolders = 8

  /// Reads a list to its end, as a run would.
  ///
  /// - Throws: ``TesseraError`` if it can't be read, or is not a list.
  init(readingList path: String) async throws {
    var file = PipelineFile(reading: .file(path))
    var rejection: TesseraError?
    do { try await read(file) } catch let error as TesseraError { rejection = error }
    // Tried with the mapping that its header row has shown, or its first rows.
    if images == 0, rejection != nil || problems > 0, let columns = suggestion ?? Self.guess(path) {
      isGuessed = suggestion == nil
      (rejection, problems, firstProblem) = (nil, 0, nil)
      file.columns = columns
      self.columns = columns
      try await read(file)
    }
    if let rejection { throw rejection }
    if images == 0, let firstProblem {
      throw TesseraError.manifest(
        path: path,
        reason: "no line of it can be used: \(firstProblem.place): \(firstProblem.message)")
    }
    guard folders.count > Self.listedFolders else { return }
    let common = folders.dropFirst().reduce(folders[0][...]) { $0.commonPrefix(with: $1) }
    let end = common.lastIndex(of: "/") ?? common.startIndex
    // Not the whole disk.
    if end > common.startIndex { folders = [String(common[..<end])] }
  }

  private static func guess(_ path: String) -> ColumnMapping? {
    guard let file = try? File(path, .readWithoutWaiting),
      let bytes = try? file.read(guessedBytes, at: 0)
    else { return nil }
    guard var guess = ColumnGuess(bytes) else { return nil }
    if let first = guess.path { guess.columns.prefix = prefix(forPath: first, of: path) }
    return guess.columns
  }

  /// What makes URLs of the paths in a list: that of files of this machine if the first one is there, else an example, which a
  /// person replaces.
  private static func prefix(forPath first: String, of list: String) -> String {
    let isAbsolute = first.hasPrefix("/")
    let folder = FileSystem.parent(of: FileSystem.realPath(list) ?? list)
    let files = isAbsolute ? "file://" : FirstSources.url(of: folder) + "/"
    if FileSystem.exists(isAbsolute ? first : FileSystem.join(folder, first)) { return files }
    let example = ColumnMapping.examplePrefix
    return isAbsolute ? String(example.dropLast()) : example
  }

  /// Enough for the first rows of a table with long texts.
  private static let guessedBytes = 256 * 1024

  private mutating func read(_ file: PipelineFile) async throws {
    let manifest = try await ManifestStream.open(file, isTried: true)
    defer { suggestion = manifest.suggestedColumns }
    var entries = try EntryStream(reading: manifest, file.fetch)
    while let batch = try await entries.next() {
      for record in batch {
        switch record {
        case .item(let item, _):
          images += 1
          permit(item.requestURL)
        case .problem(let problem):
          problems += 1
          firstProblem = firstProblem ?? problem
        case .repeated, .forgotten, .standing: break
        }
      }
    }
    omitted = manifest.omitted
    encoded = manifest.encoded
  }

  private mutating func permit(_ url: String) {
    if let folder = FetchSettings.folder(ofSource: url) {
      guard !folders.contains(where: { "\(folder)/".begins(with: "\($0)/") }) else { return }
      folders.removeAll { $0.begins(with: "\(folder)/") }
      folders.append(folder)
    } else if let word = FirstSources.permission(forHostOf: url),
      ["loopback", "private"].contains(word)
    {
      // Another address may be one that a list has no business with, such as that of a cloud's metadata.
      words.insert(word)
    }
  }
}

extension Substring {
  fileprivate func commonPrefix(with other: String) -> Substring {
    let count = zip(self, other).prefix { $0 == $1 }.count
    return prefix(count)
  }
}
