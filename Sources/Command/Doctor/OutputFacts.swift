internal import TesseraNet
internal import TesseraOutput
internal import TesseraSystem
internal import TesseraText

/// What is known of an output before a run, without a change to it.
struct OutputFacts: Sendable {
  /// As it was named.
  var output: String
  var isStore: Bool
  /// The folder itself, or the one in which a run would create it.
  var folder: String
  var exists: Bool
  var room: Result<FileSystem.Room, SystemError>?
  /// Why it can't be written, or a store can't be reached; nil if it can.
  var obstacle: SystemError?
  /// The process that holds it; 0 for one that can't be seen from here; nil if none does.
  var holder: Int?

  init(
    output: String, isStore: Bool = false, folder: String, exists: Bool = true,
    room: Result<FileSystem.Room, SystemError>?, obstacle: SystemError? = nil, holder: Int? = nil
  ) {
    (self.output, self.isStore, self.folder, self.exists) = (output, isStore, folder, exists)
    (self.room, self.obstacle, self.holder) = (room, obstacle, holder)
  }

  static func examine(_ output: String) async -> OutputFacts {
    if OpenOutput.isInStore(output) {
      var facts = OutputFacts(output: output, isStore: true, folder: output, room: nil)
      do {
        try await OpenOutput(output, creates: false).output.prepare()
      } catch {
        facts.obstacle = error as? SystemError
      }
      return facts
    }
    // A run creates it, and the folders above it.
    var folder = output
    while !FileSystem.exists(folder), folder != "/", folder != "." {
      folder = FileSystem.parent(of: folder)
    }
    var facts = OutputFacts(
      output: output, folder: folder, exists: folder == output, room: nil,
      holder: Host.holder(ofLockOn: FileSystem.join(output, ".tessera/lock")))
    do throws(SystemError) {
      facts.room = .success(try FileSystem.room(at: folder))
    } catch {
      facts.room = .failure(error)
    }
    do throws(SystemError) {
      guard FileSystem.isDirectory(folder) else {
        throw SystemError("use", folder, code: notAFolder)
      }
      try FileSystem.expectWritable(folder)
      // A tool that was called by another user may have left folders, or a state, of that user.
      if facts.exists { for path in written(in: output) { try FileSystem.expectWritable(path) } }
    } catch {
      facts.obstacle = error
    }
    return facts
  }

  /// The folders into which runs write, and the files of theirs that they change in place; those that can be seen.
  private static func written(in output: String) -> [String] {
    // Of a shard, `.tessera/shards/8/3/state.sqlite`. Below the others' folders are only files that no run changes.
    OutputPlace.folders.flatMap { written($0, in: output, depth: $0 == ".tessera" ? 5 : 2) }
  }

  private static func written(_ place: String, in output: String, depth: Int) -> [String] {
    let path = FileSystem.join(output, place)
    guard FileSystem.isDirectory(path) else {
      let isChanged = [.state, .history, .work].contains(OutputPlace.of(place))
      return isChanged && FileSystem.exists(path) ? [path] : []
    }
    guard depth > 1 else { return [path] }
    let names = (try? Directory(path).list())?.sorted() ?? []
    return [path] + names.flatMap { written("\(place)/\($0)", in: output, depth: depth - 1) }
  }

  /// A run over some thousand new images writes about as much.
  private static let leastBytes = 1_000_000_000
  private static let leastInodes = 10_000
  /// EROFS and ENOTDIR.
  private static let (readOnly, notAFolder): (Int32, Int32) = (30, 20)

  var findings: [HealthCheck] {
    if isStore { return [access] }
    return space + [access, lock]
  }

  private var space: [HealthCheck] {
    let room: FileSystem.Room
    switch self.room {
    case .success(let found): room = found
    // Then it can't be written, either, which says why.
    case .failure, nil: return []
    }
    var findings = [
      HealthCheck(
        .space, output,
        "\(Units.text(bytes: room.freeBytes)) free of \(Units.text(bytes: room.bytes))",
        problem: room.freeBytes < Self.leastBytes
          ? "the file system of \"\(output)\" has only \(Units.text(bytes: room.freeBytes)) left"
          : nil,
        fix: room.freeBytes < Self.leastBytes ? prune : nil)
    ]
    if let inodes = room.freeInodes {
      let isShort = inodes < Self.leastInodes
      findings.append(
        HealthCheck(
          .inodes, output, "\(inodes) free",
          problem: isShort
            ? "the file system of \"\(output)\" has only \(inodes) inodes left: each file needs one"
            : nil,
          fix: isShort ? prune : nil))
    }
    return findings
  }

  /// Whether not even `prune` can begin: SQLite needs a log and shared memory beside the state.
  private var isFull: Bool {
    guard case .success(let room)? = room else { return false }
    return room.freeBytes < 128_000 || (room.freeInodes ?? .max) < 4
  }

  private var prune: String {
    exists
      ? (isFull ? "delete a file by hand, and then " : "")
        + "tessera prune \(ShellWords.operands([output])), or a larger file system"
      : "a larger file system for \(folder)"
  }

  private var access: HealthCheck {
    if let obstacle {
      return HealthCheck(
        .access, output, "no",
        problem: isStore
          ? "\(obstacle)" : "\"\(obstacle.path)\" can't be written: \(obstacle.reason)",
        fix: fix(of: obstacle))
    }
    if isStore { return HealthCheck(.access, output, "the store answers") }
    return HealthCheck(
      .access, output,
      exists ? "can be written" : "does not exist yet; a run creates it in \(folder)")
  }

  private func fix(of obstacle: SystemError) -> String {
    if isStore {
      return
        "the keys under \"store\", and the credentials (AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY)"
    }
    switch obstacle.code {
    case Self.readOnly: return "mount -o remount,rw \"$(findmnt -no TARGET --target \(folder))\""
    case Self.notAFolder: return "name a folder (output)"
    default:
      // Not the folder above it, which may be the root.
      return exists
        ? "call it as the user who runs the pipeline: sudo -u \"$(stat -c %U \(output))\" tessera …; or, if the output is "
          + "to be yours from now on: sudo chown -R \"$(id -un)\" \(output)"
        : "sudo install -d -o \"$(id -un)\" \(output)"
    }
  }

  private var lock: HealthCheck {
    switch holder {
    // The folder of the lock is private to its owner.
    case nil where exists && obstacle?.isPermission == true:
      HealthCheck(
        .lock, output, "only the user who runs the pipeline can see whether a run is at work on it")
    case nil: HealthCheck(.lock, output, "no run on this machine is at work on it")
    case 0: HealthCheck(.lock, output, "a run of another container is at work on it")
    case let process?: HealthCheck(.lock, output, "process \(process) is at work on it")
    }
  }
}
