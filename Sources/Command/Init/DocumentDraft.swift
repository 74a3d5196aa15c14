internal import Glibc
internal import TesseraOutput
internal import TesseraSystem

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
