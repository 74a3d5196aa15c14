internal import Synchronization
package import TesseraSystem

/// Names of documents that are not complete yet: `run.json.tessera-4711.new`.
///
/// No other program gives such names, so a draft that a killed process left can be removed without
/// asking.
package enum Draft {
  /// A name that no other draft has: two processes may write the same document, and on two machines
  /// they may have the same number.
  package static func name(of document: String) -> String {
    "\(document).tessera-\(UInt64.random(in: 1 ... .max)).new"
  }

  /// The document that a name is a draft of; nil if it is not a draft.
  static func document(of name: String) -> Substring? {
    let parts = name.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count >= 3, parts.last == "new", let mark = parts.dropLast().last,
      mark.hasPrefix("tessera-"), mark.count > 8,
      mark.utf8.dropFirst(8).allSatisfy((UInt8(ascii: "0")...UInt8(ascii: "9")).contains)
    else { return nil }
    return name.dropLast(mark.utf8.count + ".new".utf8.count + 1)
  }

  /// The drafts in a folder but those that living processes have locked.
  static func left(in folder: Directory) throws(SystemError) -> [String] {
    var left: [String] = []
    for name in try folder.list() where document(of: name) != nil {
      if folder.kind(of: name) != .folder || LockedFolder.isLeft(name, in: folder) {
        left.append(name)
      }
    }
    return left
  }

  /// Removes the drafts of killed processes from a folder. Those of living ones are locked.
  ///
  /// - Parameter document: only its drafts; nil for all.
  package static func clear(
    _ folder: Directory, of document: String? = nil
  ) throws(SystemError) {
    for name in try folder.list() {
      guard let found = self.document(of: name), document.map({ found == $0 }) ?? true else {
        continue
      }
      if folder.kind(of: name) == .folder {
        try LockedFolder.removeIfLeft(name, in: folder)
      } else {
        try folder.remove(name)
      }
    }
  }

  /// Makes something of any kind and gives it its name when it is complete.
  ///
  /// Calls `make` with a path where nothing exists, and renames what is there afterwards to `target`.
  /// The draft is removed on every other way out: if `make` throws, or the task is cancelled. That of
  /// a killed process is removed by the next call with the same target.
  package static func publish<Value>(
    to target: String, _ make: (_ draft: String) throws -> Value
  ) throws -> Value {
    let draft = try OpenDraft(target)
    let value = try make(draft.path)
    try Task.checkCancellation()
    try draft.publish()
    return value
  }
}

/// Something of any kind that gets its name when it is complete. It is removed if it does not.
package struct OpenDraft: ~Copyable {
  /// Where it is made; nothing exists there at first.
  package let path: String
  private let folder: Directory
  private let document: String
  private let own: LockedFolder

  /// - Parameter target: its path when it is complete.
  package init(_ target: String) throws(SystemError) {
    let (folder, document) = (
      try Directory(FileSystem.parent(of: target)), FileSystem.name(of: target)
    )
    try Draft.clear(folder, of: document)
    own = try LockedFolder(in: folder) { Draft.name(of: document) }
    (self.folder, self.document) = (folder, document)
    path = folder.path(of: "\(own.name)/draft")
  }

  package func publish() throws(SystemError) {
    try folder.rename("\(own.name)/draft", to: document)
  }

  /// Gives it its name in place of what has the name, a file or a folder: at each moment the old one or the new one has it,
  /// whole. The old one is removed.
  package func replace() throws(SystemError) {
    do throws(SystemError) {
      try folder.exchange("\(own.name)/draft", with: document)
    } catch {
      if error.isMissingFile { return try publish() }
      // A rename replaces a file, too, and no folder that has anything in it.
      guard error.isUnsupported, folder.size(of: document) != nil else { throw error }
      try publish()
    }
  }
}

/// A file of a workspace: its folder, and its path from there.
package struct WorkFile: Sendable {
  private let directory: Directory
  private let name: String

  init(_ name: String, in directory: Directory) {
    self.directory = directory
    self.name = name
  }

  /// For messages, and for what takes a path.
  package var path: String { directory.path(of: name) }

  package func open(_ mode: File.Mode) throws(SystemError) -> File {
    try directory.open(name, mode)
  }

  /// The size in bytes; nil for anything but a regular file.
  package var size: Int? { directory.size(of: name) }

  package func sha256() throws(SystemError) -> String { try directory.sha256(of: name) }

  /// Adds a second name (a hard link), in the same workspace.
  package func link(as other: WorkFile) throws(SystemError) {
    try directory.link(name, as: other.name)
  }

  func touch() throws(SystemError) { try directory.touch(name) }

  /// Removes the file. A missing one is not an error.
  package func remove() throws(SystemError) { try directory.remove(name) }
}

/// A folder of a workspace that stays open once a file in it was named, so that it is not looked up for each of them.
final class OpenFolder: Sendable {
  private let folder = Mutex<Directory?>(nil)

  func file(_ name: String, at path: String, in directory: Directory) -> WorkFile {
    folder.withLock { folder in
      // Why it can't be opened, opening the file reports.
      folder = folder ?? (try? directory.directory(path))
      return folder.map { WorkFile(name, in: $0) } ?? WorkFile("\(path)/\(name)", in: directory)
    }
  }
}
