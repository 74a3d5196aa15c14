internal import TesseraCatalog
package import TesseraManifest
package import TesseraSystem

/// An output in a directory:
///
///     catalog.json      the result
///     run.json          what the last run did
///     variants/3f/9c/3f9c…-192x256-8c22….webp
///     .tessera/         the workspace, which is private, and earlier catalogs
///
/// The workspace is on the same file system, so that publishing is a rename. The directory may be a
/// link, because the user chose it; no link in it is followed.
package struct DirectoryOutput: Output {
  package let root: Directory

  private static let workspace = ".tessera"

  /// - Parameter creates: whether the directory is created if it is missing.
  package init(_ path: String, creates: Bool = false) throws(SystemError) {
    root = try Directory(path, creates: creates)
  }

  package var location: String { root.path }
  /// The system has it for a while before the disk does.
  package var isDurable: Bool { false }

  /// The private folder beside the published files; created if it is missing.
  package func workspace() throws(SystemError) -> Workspace {
    Workspace(try root.makeDirectory(Self.workspace), of: "the output \"\(location)\"")
  }

  /// Before anything is made in it: see ``Directory/expectOwn(_:)``.
  func expectOwn() throws {
    try (hasWorkspace ? root.directory(Self.workspace) : root).expectOwn(
      "the output \"\(location)\"")
  }

  /// Whether a run, or a tool, has made the private folder.
  package var hasWorkspace: Bool { root.exists(Self.workspace) }

  package func prepare() throws(SystemError) {
    let variants = try root.makeDirectory("variants")
    // Before anything is fetched: nothing could be published through a link.
    for name in try variants.list() where variants.kind(of: name) == .link {
      throw .link(variants.path(of: name))
    }
    try Draft.clear(root)
  }

  /// What is left for this user on its file system; nil if the system does not say.
  var room: FileSystem.Room? { try? FileSystem.room(at: location) }
  var freeBytes: Int? { room?.freeBytes }

  package func clearDrafts(of shard: Shard?) throws(SystemError) {
    if let shard {
      for path in ShardHeader.documents(of: shard) where root.exists(FileSystem.parent(of: path)) {
        let folder = try root.directory(FileSystem.parent(of: path))
        try Draft.clear(folder, of: FileSystem.name(of: path))
      }
      return
    }
    for folder in try OutputPlace.foldersOfDrafts(in: root) {
      try Draft.clear(folder.isEmpty ? root : try root.directory(folder))
    }
  }

  package func leftDrafts() throws(SystemError) -> [String] {
    var left: [String] = []
    for path in try OutputPlace.foldersOfDrafts(in: root) {
      let folder = path.isEmpty ? root : try root.directory(path)
      left += try Draft.left(in: folder).map { path.isEmpty ? $0 : "\(path)/\($0)" }
    }
    return left.sorted()
  }

  package func publish(staged: String, as path: String) throws(SystemError) -> Bool {
    let (folder, name) = (try folder(of: path), FileSystem.name(of: path))
    // A file that is there stays: it may have reached the disk already, and this one has not.
    if folder.exists(name) { return false }
    try folder.take(staged, as: name)
    return true
  }

  private func folder(of path: String) throws(SystemError) -> Directory {
    let parent = FileSystem.parent(of: path)
    if parent == "." { return root }
    do throws(SystemError) {
      return try root.directory(parent)
    } catch {
      guard error.isMissingFile else { throw error }
      // Folders are made when they are first needed: most outputs need few of the 65,536.
      return try root.makeDirectory(parent)
    }
  }

  package func sizes(of paths: [String]) throws(SystemError) -> [Int?] {
    try root.sizes(of: paths)
  }

  package func changed(_ path: String) throws(SystemError) -> Double? {
    root.sizeAndChange(of: path)?.changed
  }

  package func stillHas(
    _ files: [(path: String, bytes: Int)]
  ) throws(SystemError) -> [Bool] {
    // All at once, because each file by itself costs three times as much.
    zip(files, try sizes(of: files.map(\.path))).map { $0.bytes == $1 }
  }

  /// From the folders' times: a folder has another one once a name in it was added, removed or replaced. What is changed
  /// inside a file is for `verify` to notice.
  package func mark() throws(SystemError) -> OutputMark? {
    var marks = [(CurrentCatalog.path, root.mark(of: CurrentCatalog.path) ?? "")]
    var parents = ["variants", "tables"]
    if root.kind(of: CatalogScreen.folder) == .folder {
      let screens = try root.directory(CatalogScreen.folder)
      for name in try screens.list().sorted() where screens.kind(of: name) == .folder {
        parents.append("\(CatalogScreen.folder)/\(name)")
      }
    }
    for parent in parents {
      try addMarks(of: parent, levels: parent == FileName.folder ? 2 : 1, to: &marks)
    }
    return OutputMark(marks)
  }

  /// - Parameter levels: of folders below it.
  private func addMarks(
    of folder: String, levels: Int, to marks: inout [(String, String)]
  ) throws(SystemError) {
    marks.append((folder, root.mark(of: folder) ?? ""))
    guard root.exists(folder) else { return }
    let directory = try root.directory(folder)
    for name in try directory.list().sorted() {
      let path = "\(folder)/\(name)"
      if levels > 1, directory.kind(of: name) == .folder {
        try addMarks(of: path, levels: levels - 1, to: &marks)
      } else {
        marks.append((path, directory.mark(of: name) ?? ""))
      }
    }
  }

  package func read(_ path: String, _ count: Int, at offset: Int) throws(SystemError) -> [UInt8] {
    try root.open(path, .read).read(count, at: offset)
  }

  package func open(
    _ path: String, _ workspace: Workspace
  ) throws(SystemError) -> OpenDocument? {
    root.size(of: path) == nil ? nil : try OpenDocument(try root.open(path, .read))
  }

  package func link(_ path: String, as target: String) throws(SystemError) -> Bool {
    let (folder, name) = (try folder(of: target), FileSystem.name(of: target))
    let draft = Draft.name(of: name)
    let parent = FileSystem.parent(of: target)
    do throws(SystemError) {
      try root.link(path, as: parent == "." ? draft : "\(parent)/\(draft)")
    } catch {
      // Some file systems have no second names.
      return false
    }
    try folder.rename(draft, to: name)
    // It is still there if both are names of one file already.
    try folder.remove(draft)
    try folder.synchronize()
    return true
  }

  /// It is here.
  package func keepCopy(_ staged: WorkFile, _ workspace: Workspace) {}

  package func digest(of path: String) throws(SystemError) -> String {
    try root.sha256(of: path)
  }

  package func list(_ folder: String) throws(SystemError) -> [OutputEntry] {
    let directory = folder.isEmpty ? root : try root.directory(folder)
    return try directory.list().map { name in
      switch directory.kind(of: name) {
      case .file(let bytes): OutputEntry(name, .file(bytes: bytes))
      case .folder: OutputEntry(name, .folder)
      case .link, .other, nil: OutputEntry(name, .other)
      }
    }
  }

  package func delete(_ path: String) throws(SystemError) { try root.remove(path) }

  package func write(_ name: String, staged: WorkFile) throws(SystemError) {
    let folder = try folder(of: name)
    // One flush for the document and for every variant that was renamed before it.
    try staged.open(.read).synchronizeFileSystem()
    // Only then the name: after a power cut the catalog is the old one or the new one, and whole.
    try folder.take(staged.path, as: FileSystem.name(of: name))
    try folder.synchronize()
  }

  package func create(_ path: String, staged: WorkFile) throws(SystemError) -> Bool {
    let (folder, name) = (try folder(of: path), FileSystem.name(of: path))
    // In the same folder: some cluster file systems link nowhere else.
    let draft = Draft.name(of: name)
    try folder.take(staged.path, as: draft)
    do throws(SystemError) {
      try folder.open(draft, .read).synchronizeFileSystem()
      try folder.link(draft, as: name)
    } catch {
      try? folder.remove(draft)
      guard error.isExistingFile else { throw error }
      return false
    }
    try folder.remove(draft)
    try folder.synchronize()
    return true
  }

  package func write(_ path: String, _ bytes: [UInt8]) throws(SystemError) {
    let name = FileSystem.name(of: path)
    try folder(of: path).replace(name, with: bytes, draft: Draft.name(of: name))
  }
}

extension Directory {
  /// Root would leave files there that the next run of their owner can't replace.
  ///
  /// - Throws: ``TesseraError`` if this process is one of root, and the folder is another user's.
  func expectOwn(_ name: String) throws {
    guard let owner = try ownerUnlikeRoot(draft: Draft.name(of: "owner")) else { return }
    throw TesseraError(
      .output,
      "\(name) belongs to the user \(owner), whose next run could not write what root leaves in it",
      remedy: owner.name.map { "run as that user: runuser -u \($0) -- tessera …" }
        ?? "run as that user")
  }
}
