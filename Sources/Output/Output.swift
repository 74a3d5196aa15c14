internal import TesseraBytes
internal import TesseraCatalog
package import TesseraManifest
package import TesseraSystem

/// Where variants and catalogs are published.
///
/// Paths are relative to the output and made by Tessera: `variants/3f/9c/3f9c…-192x256-8c22….webp` for a file,
/// a plain name for a document. Of a name the first file stands (``FileName``). No other module knows whether an output is a directory or in an object store.
package protocol Output: Sendable {
  /// The output as its user names it, for messages.
  var location: String { get }

  /// Whether a published file outlives this machine, and not only this process.
  var isDurable: Bool { get }

  /// Prepares the output for a run.
  func prepare() async throws(SystemError)

  /// Removes what killed processes have left of documents, wherever they are made (``OutputPlace``). Called by
  /// ``HeldOutput/clear()``.
  ///
  /// - Parameter shard: whose documents alone the caller holds; nil for those of the whole output.
  func clearDrafts(of shard: Shard?) async throws(SystemError)

  /// The paths of what killed processes have left of documents: those that ``clearDrafts(of:)`` would remove. A process that
  /// holds the output may be at work on them.
  func leftDrafts() async throws(SystemError) -> [String]

  /// Makes a staged file visible under a path, unless something is there.
  ///
  /// - Parameter staged: a file of this machine. It is gone afterwards, if it was published.
  /// - Returns: whether it was.
  func publish(staged: String, as path: String) async throws(SystemError) -> Bool

  /// The sizes of published files in bytes; nil for each that is missing. Many at once cost less than
  /// each by itself.
  func sizes(of paths: [String]) async throws(SystemError) -> [Int?]

  /// When a published file was written, in seconds since 1970; nil if it is missing, or that is not known.
  func changed(_ path: String) async throws(SystemError) -> Double?

  /// Whether files that the last catalog names are still there with these sizes. An output that loses
  /// nothing by itself may say so without looking.
  func stillHas(_ files: [(path: String, bytes: Int)]) async throws(SystemError) -> [Bool]

  /// The mark of what is there now; nil if the output can't tell without looking at each file.
  func mark() async throws(SystemError) -> OutputMark?

  /// Up to `count` bytes of a published file from `offset`; fewer only where it ends.
  func read(_ path: String, _ count: Int, at offset: Int) async throws(SystemError) -> [UInt8]

  /// Opens a document, of a store by a copy in the workspace; nil if it is missing.
  func open(_ path: String, _ workspace: Workspace) async throws(SystemError) -> OpenDocument?

  /// Called with a staged document before it is written: an output that is elsewhere keeps it for ``open(_:_:)``.
  func keepCopy(_ staged: WorkFile, _ workspace: Workspace) throws(SystemError)

  /// Gives a document a second name, in the place of what has it. Returns false if that is not possible here.
  func link(_ path: String, as target: String) async throws(SystemError) -> Bool

  /// SHA-256 of a published file, in hexadecimal.
  func digest(of path: String) async throws(SystemError) -> String

  /// What is in a folder of the output, or in the output itself (""), sorted by name. A missing folder, and a link in its
  /// place, are errors.
  func list(_ folder: String) async throws(SystemError) -> [OutputEntry]

  /// Deletes a published file or document. Deleting a missing one is not an error.
  func delete(_ path: String) async throws(SystemError)

  /// Replaces a document after everything that was published before is durable. Readers see the old
  /// document or the new one.
  ///
  /// - Parameter staged: it is gone afterwards.
  func write(_ name: String, staged: WorkFile) async throws(SystemError)

  /// Creates a document as ``write(_:staged:)`` does, unless there is one.
  ///
  /// - Returns: whether it was created.
  func create(_ path: String, staged: WorkFile) async throws(SystemError) -> Bool

  /// Replaces a small document.
  func write(_ path: String, _ bytes: [UInt8]) async throws(SystemError)
}

extension Output {
  /// The folders that files of images are in: `variants/3f/9c`.
  package func foldersOfFiles() async throws(SystemError) -> [String] {
    var folders: [String] = []
    for outer in try await listIfThere(FileName.folder) where outer.kind == .folder {
      let path = "\(FileName.folder)/\(outer.name)"
      for inner in try await listIfThere(path) where inner.kind == .folder {
        folders.append("\(path)/\(inner.name)")
      }
    }
    return folders
  }

  /// What stands under the name of a file: the first file of a name, because clients keep it indefinitely. Another version of a
  /// library may have made it, with other bytes.
  ///
  /// - Parameters:
  ///   - new: SHA-256 of a file for the name, in hexadecimal.
  ///   - recorded: that of the file when it was published; nil if it is not known. One that differs was damaged since.
  ///   - isWhole: whether bytes are a whole image, and the one that the name stands for: a machine that stopped may have left a
  ///     part of a file that no record knows.
  /// - Returns: nil if nothing stands there that may stay; it is to be replaced.
  package func standing(
    _ path: String, sha256 new: String, recorded: String?, isWhole: ([UInt8]) -> Bool
  ) async throws(SystemError) -> (bytes: Int, sha256: String)? {
    guard let size = try await size(of: path), let digest = try? await digest(of: path) else {
      return nil
    }
    if digest == new { return (size, digest) }
    if let recorded, recorded != digest { return nil }
    return isWhole(try await read(path, size, at: 0)) ? (size, digest) : nil
  }

  /// Publishes a file whose path has the digest of its bytes: one that is there is the same, or it is damaged and replaced.
  package func publish(
    _ staged: WorkFile, as path: String, digest: String
  ) async throws(SystemError) {
    if try await publish(staged: staged.path, as: path) { return }
    // One that can't be read is replaced, too.
    if (try? await self.digest(of: path)) == digest { return try staged.remove() }
    try await write(path, staged: staged)
  }
}

/// One name in a folder of an output.
package struct OutputEntry: Sendable, Equatable {
  package enum Kind: Sendable, Equatable {
    case file(bytes: Int)
    case folder
    /// A link, a pipe: nothing that Tessera makes.
    case other
  }

  package var name: String
  package var kind: Kind

  package init(_ name: String, _ kind: Kind) {
    self.name = name
    self.kind = kind
  }
}

extension Output {
  package func mark() async throws(SystemError) -> OutputMark? { nil }

  package func link(_ path: String, as target: String) -> Bool { false }

  /// A store has no drafts: an object is there as a whole or not at all.
  package func leftDrafts() async throws(SystemError) -> [String] { [] }

  /// The size of a published file in bytes; nil if it is missing.
  package func size(of path: String) async throws(SystemError) -> Int? {
    try await sizes(of: [path])[0]
  }

  /// A document of one version as a whole, also if another one replaces it meanwhile; nil if it is missing. In a store a short
  /// one is one request.
  package func document(_ path: String) async throws(SystemError) -> [UInt8]? {
    var most = 64 << 10
    do throws(SystemError) {
      while true {
        // That fewer bytes come than are requested says that these are all.
        let bytes = try await read(path, most + 1, at: 0)
        if bytes.count <= most { return bytes }
        most = max(most, try await size(of: path) ?? 0)
      }
    } catch {
      guard error.isMissingFile else { throw error }
      return nil
    }
  }

  /// What is in a folder of the output, as ``list(_:)``; nothing if the folder is missing.
  package func listIfThere(_ folder: String) async throws(SystemError) -> [OutputEntry] {
    do throws(SystemError) {
      return try await list(folder)
    } catch {
      guard error.isMissingFile else { throw error }
      return []
    }
  }

  /// Whether a published file is there with this size.
  package func has(_ path: String, bytes: Int) async throws(SystemError) -> Bool {
    try await size(of: path) == bytes
  }
}

/// What changes when a file that a catalog names is added, removed or replaced, or when a catalog is replaced.
package struct OutputMark: Sendable, Equatable {
  /// Folders and documents with the mark of each.
  private let parts: [(name: String, mark: String)]

  package init(_ parts: [(name: String, mark: String)]) { self.parts = parts }

  package static func == (one: OutputMark, other: OutputMark) -> Bool { one.text == other.text }

  /// What the state notes for the next run.
  package var text: String {
    SHA256.of(parts.map { "\($0.name) \($0.mark)" }.joined(separator: "\n"))
  }

  /// The folders and documents that are others than in an earlier mark, those that are gone included.
  func changed(since before: OutputMark) -> Set<String> {
    let (old, new) = (
      Dictionary(before.parts.map { ($0.name, $0.mark) }) { $1 },
      Dictionary(parts.map { ($0.name, $0.mark) }) { $1 }
    )
    return Set(old.keys).union(new.keys).filter { old[$0] != new[$0] }
  }
}
