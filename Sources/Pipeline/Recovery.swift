internal import TesseraOutput
internal import TesseraState
internal import TesseraSystem

/// What a run believes of what earlier ones have left, where something went wrong below them.
///
/// A killed process loses nothing that it wrote: the system still has it. A machine that stops loses what was not
/// on the disk, and that may be a file's bytes without its name. So before a catalog is given its name, all that was
/// written goes to the disk (syncfs(2)), and the files of a run that never came so far are read and compared with
/// the digests in their names, once, if the machine was started anew since.
struct Recovery {
  let output: DirectoryOutput

  private static let batch = 500

  /// Looks at the files of runs that ended together with the machine, and removes those that are not whole.
  ///
  /// - Parameter boot: the machine's start.
  /// - Returns: how many these were.
  func removeUnwritten(_ state: StateStore, boot: String) async throws -> Int {
    guard try await state.hasDoubts(boot: boot) else { return 0 }
    var removed = 0
    var key = ""
    while true {
      let files = try await state.doubtful(boot: boot, after: key, limit: Self.batch)
      guard let last = files.last else { break }
      try Task.checkCancellation()
      key = last.key
      var (whole, broken): ([String], [String]) = ([], [])
      for file in files {
        // What has no name of ours is none of ours to remove.
        guard let path = file.path, let digest = PublishedFile.digest(in: path) else {
          broken.append(file.key)
          continue
        }
        let place = FileSystem.join(output.root, path)
        if (try? FileSystem.sha256(of: place).hasPrefix(digest)) == true {
          whole.append(file.key)
        } else {
          try PipelineError.wrap { try FileSystem.remove(place) }
          broken.append(file.key)
        }
      }
      try await state.forgetVariants(broken)
      try await state.endDoubts(of: whole)
      removed += broken.count
    }
    try await state.endDoubts(boot: boot)
    return removed
  }

  /// Moves a damaged state out of the way, takes over what can be read of it, and says so.
  func setAside(_ error: StateError) async throws -> String {
    let aside = "\(output.statePath).damaged"
    try PipelineError.wrap {
      // With its journal, which may hold what came last.
      for suffix in ["-wal", "-shm"] { try FileSystem.remove(aside + suffix) }
      try FileSystem.rename(output.statePath, to: aside)
      if FileSystem.size(ofFile: output.statePath + "-wal") != nil {
        try FileSystem.rename(output.statePath + "-wal", to: aside + "-wal")
      }
      try FileSystem.remove(output.statePath + "-shm")
    }
    let state = try StateStore(path: output.statePath)
    let count = try await state.salvage(from: aside)
    let rest =
      count > 0
      ? "\(count) records could still be read, and what they tell is asked for again"
      : "nothing of it could be read, and everything is fetched anew"
    return "\(error); it was set aside as \"\(aside)\"; \(rest)"
  }
}
