internal import Glibc
internal import TesseraJSON
internal import TesseraManifest
internal import TesseraNet
internal import TesseraOutput
internal import TesseraSystem
internal import TesseraText

/// The lines of a manifest that is brought up to date.
struct ManifestLines {
  struct Line {
    /// The line's own id, or the URL that takes its place.
    let id: String
    /// Whether the id is its own.
    let hasID: Bool
    let url: String
    let place: ImagePlace
    let bytes: ArraySlice<UInt8>

    /// The line with another URL, and all other values as they are.
    func moved(to url: String, in home: ProjectFolder?) -> [UInt8] {
      guard case .object(let members)? = try? JSONParser.parse(Array(bytes)) else {
        return Array(bytes)
      }
      let new = JSONValue.string(home?.reference(to: url) ?? url)
      var writer = JSONWriter()
      writer.value(.object(members.map { $0.name == "url" ? .init("url", new) : $0 }))
      return writer.take()
    }
  }

  private(set) var lines: [Line] = []
  /// The file as it is.
  private var bytes: [UInt8] = []
  private let path: String

  /// A manifest that `init` writes is shorter; a longer one comes from a program.
  private static let longest = 256 << 20

  /// A missing manifest has no lines.
  ///
  /// - Parameter base: of relative URLs; nil if they are mistakes.
  init(of manifest: String, base: String?) throws {
    path = manifest
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
      let id = entry?["id"].flatMap(ManifestEntry.id)
      lines.append(
        Line(
          id: id ?? url, hasID: id != nil, url: url, place: ImagePlace(url), bytes: line))
    }
  }

  /// Replaces the file.
  ///
  /// - Parameter keepsOld: whether it is kept beside it: it has lines that the new one lacks.
  /// - Returns: where it is kept.
  /// - Throws: ``TesseraError`` if it has changed since it was read.
  func replace(by text: [UInt8], keepsOld: Bool) throws -> String? {
    // The file itself, where the path is a link to it.
    let place = FileSystem.isLink(path) ? FileSystem.realPath(path) ?? path : path
    guard FileSystem.exists(place) else {
      let draft = try DocumentDraft(text, for: place)
      try Task.checkCancellation()
      try draft.create()
      return nil
    }
    guard try FileSystem.read(place, limit: Self.longest) == bytes else {
      throw TesseraError(
        .local, "\"\(path)\" was changed while the folders were read", remedy: "try again",
        subject: path, isRetryable: true)
    }
    // Both are complete on the disk before one of them has its name.
    let draft = try DocumentDraft(text, for: place, like: place)
    let before = place + ".before"
    if keepsOld {
      let kept = try DocumentDraft(bytes, for: before, like: place)
      try Task.checkCancellation()
      try kept.replace()
    } else {
      try Task.checkCancellation()
    }
    try draft.replace()
    return keepsOld ? before : nil
  }

  private static func absolute(_ url: String, _ base: String?) -> String? {
    guard let base else { return SourceURL.scheme(of: url) == nil ? nil : url }
    return URLReference.resolve(url, against: base)
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
