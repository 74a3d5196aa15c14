internal import TesseraOutput
internal import TesseraState
internal import TesseraSystem

/// Deletes variants that the catalog does not name any more, a while after that was first seen: clients that hold
/// yesterday's catalog still find their files.
package struct Pruning: Sendable {
  package struct Report: Sendable {
    /// Files that the catalog names, deleted ones, those whose time has not come, and what is none of ours.
    package var kept = 0
    package var deleted = 0
    package var deletedBytes = 0
    package var waiting = 0
    package var waitingBytes = 0
    package var foreign = 0
  }

  private let output: DirectoryOutput
  private let grace: Duration
  private let isDry: Bool

  /// - Parameters:
  ///   - grace: from when a file was first seen to be named no more.
  ///   - isDry: whether nothing is deleted or noted.
  package init(_ root: String, grace: Duration, isDry: Bool) {
    output = DirectoryOutput(root)
    self.grace = grace
    self.isDry = isDry
  }

  /// - Throws: ``OutputToolError`` where there is no catalog, or a run holds the output.
  package func run(tell: (_ path: String, _ bytes: Int) -> Void) async throws -> Report {
    // Before anything is made: a folder that is no output stays as it is.
    var reader = try WrittenCatalog.open(output.root)
    let lock = try output.workspace.lock()
    defer { withExtendedLifetime(lock) {} }
    let state = try OutputToolError.wrap { try StateStore(path: output.workspace.statePath) }
    try await state.beginNaming()
    var names: [String] = []
    while let image = try reader.next() {
      guard let files = PublishedFile.all(of: image) else {
        throw OutputToolError.local(
          "the catalog does not tell its files as a catalog does; run again before anything is deleted"
        )
      }
      names += files.map(\.path)
      if names.count >= 1_000 {
        try await state.name(names)
        names = []
      }
    }
    try await state.name(names)
    var report = Report()
    let root = FileSystem.join(output.root, "variants")
    try FileSystem.refuseLink(root)
    for folder in try FileSystem.list(root).sorted() {
      try await prune(folder, below: root, state, &report, tell)
    }
    if !isDry { try await state.commit() }
    return report
  }

  private func prune(
    _ folder: String, below root: String, _ state: StateStore, _ report: inout Report,
    _ tell: (String, Int) -> Void
  ) async throws {
    let directory = FileSystem.join(root, folder)
    guard FileSystem.isDirectory(directory) else {
      report.foreign += 1
      return
    }
    try FileSystem.refuseLink(directory)
    for name in try FileSystem.list(directory).sorted() {
      try Task.checkCancellation()
      let file = PublishedFile(
        path: "variants/\(folder)/\(name)", type: "", bytes: 0, width: 0, height: 0)
      guard file.digest != nil,
        let bytes = FileSystem.size(ofFile: FileSystem.join(output.root, file.path))
      else {
        report.foreign += 1
        continue
      }
      guard try await !state.isNamed(file.path) else {
        report.kept += 1
        if !isDry { try await state.forgetRetired(file.path) }
        continue
      }
      let since = try await state.retired(file.path, now: Host.now, notes: !isDry)
      guard Host.now - since >= grace.inSeconds else {
        report.waiting += 1
        report.waitingBytes += bytes
        continue
      }
      tell(file.path, bytes)
      report.deleted += 1
      report.deletedBytes += bytes
      if !isDry {
        try FileSystem.remove(FileSystem.join(output.root, file.path))
        try await state.forgetRetired(file.path)
      }
    }
  }
}
