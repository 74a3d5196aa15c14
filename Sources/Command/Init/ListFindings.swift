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
    if let rejection {
      // Then nothing could be found out from its rows.
      guard let line = Self.lineOfOtherEncoding(path) else { throw rejection }
      throw TesseraError.manifest(path: path, reason: ListRejection.otherEncoding(line))
    }
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

  /// The first line that is not in UTF-8; nil if there is none at its beginning, and for UTF-16.
  private static func lineOfOtherEncoding(_ path: String) -> Int? {
    guard let file = try? File(path, .readWithoutWaiting),
      let bytes = try? file.read(guessedBytes, at: 0), !bytes.contains(0)
    else { return nil }
    let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    // The last one may be cut off.
    let whole = bytes.count < guessedBytes ? lines[...] : lines.dropLast()
    return whole.firstIndex { String(validating: $0, as: UTF8.self) == nil }.map { $0 + 1 }
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

/// What is in the folders that `init` was given and does not become an item, by the reason.
struct LeftOut: Sendable, Equatable {
  enum Reason: Hashable {
    /// Its bytes are not those of an image, and its name is not that of one.
    case noImage
    /// An image of a format that runs accept only if the pipeline names it.
    case format(String)
    /// A folder with what a run has made.
    case output
    /// A link, a pipe, a device.
    case link

    /// Completes "left out as …".
    var text: String {
      switch self {
      case .noImage: "not an image"
      case .format(let name): "of the format \(name), which \"accept\" does not name"
      case .output: "the output of a run"
      case .link: "a link or a special file"
      }
    }
  }

  private var order: [Reason] = []
  private var names: [Reason: [String]] = [:]
  /// All names, in the order in which they were found.
  private(set) var all: [String] = []

  /// Names that are listed for a reason.
  private static let listed = 3

  var isEmpty: Bool { all.isEmpty }

  mutating func add(_ name: String, _ reason: Reason) {
    all.append(name)
    if names[reason] == nil { order.append(reason) }
    names[reason, default: []].append(name)
  }

  /// One for each reason, in the order in which they came up: `left out as not an image: 2 (a.txt, b.txt)`.
  var texts: [String] {
    order.map { reason in
      let names = names[reason, default: []]
      let more = names.count > Self.listed ? " and \(names.count - Self.listed) more" : ""
      return "left out as \(reason.text): \(names.count) "
        + "(\(names.prefix(Self.listed).joined(separator: ", "))\(more))"
    }
  }
}

/// The reasons, each with its number and its first names; nothing if there are none.
extension LeftOut: Encodable {
  private struct Group: Encodable {
    let reason: String
    let count: Int
    let names: [String]
  }

  func encode(to encoder: any Encoder) throws {
    guard !isEmpty else { return }
    try order.map { reason in
      let names = names[reason, default: []]
      return Group(
        reason: reason.text, count: names.count, names: Array(names.prefix(Self.listed)))
    }.encode(to: encoder)
  }
}
