import Foundation

/// The real tessera-worker with a preloaded library, `Tests/Shims/worker.c`: on a kernel that lacks
/// something, or with a decoder of JPEG images with a profile that an image has taken over.
public struct WorkerShim: Sendable {
  private let folder: TemporaryFolder

  /// - Parameters:
  ///   - lacks: what the kernel lacks: `landlock`, `seccomp`; what libheif lacks: `hevc`.
  ///   - does: what the decoder does; that file lists it.
  ///   - folders: the folders that it fills.
  ///   - poison: glibc fills freed memory with this value and new memory with its complement (mallopt(3),
  ///     M_PERTURB).
  public init(
    lacks: [String] = [], does: [String] = [], filling folders: [String] = [], poison: UInt8? = nil
  ) async throws {
    folder = try TemporaryFolder()
    let library = try await Shim.build("worker", in: folder)
    try Data(count: 65536).write(to: URL(filePath: folder.path("log")))
    // The script is linked, because one that was just written may be "busy"; it reads this file.
    try folder.write(
      """
      export LD_PRELOAD='\(library)' SHIM_LOG='\(folder.path("log"))'
      export SHIM_LACKS='\(lacks.joined(separator: ","))' SHIM_DOES='\(does.joined(separator: ","))'
      export SHIM_FOLDERS='\(folders.joined(separator: ":"))'
      \(poison.map { "export MALLOC_PERTURB_=\($0)" } ?? "")
      WORKER='\(Places.worker)'

      """, to: "variables")
    try FileManager.default.createSymbolicLink(
      atPath: worker,
      withDestinationPath: Places.root.appending(path: "Tests/Shims/worker-with-shim").path)
  }

  /// The path of the worker.
  public var worker: String { folder.path("tessera-worker") }

  /// Puts `tessera` beside it, which then uses it.
  ///
  /// - Returns: its path.
  public func tessera() async throws -> String {
    let path = folder.path("tessera")
    // By another process: a program that this one had open for writing may be "busy".
    let command = #"ln "$0" "$1" 2> /dev/null || cp "$0" "$1""#
    let result = try await Tool.run("/bin/sh", ["-c", command, Places.tessera, path])
    guard result.status == 0 else { throw Shim.Failure(message: result.errors) }
    return path
  }

  /// What the decoders have recorded, by line.
  public var log: [String] {
    get throws {
      let bytes = try folder.read("log")
      let length = bytes.prefix(4).reversed().reduce(0) { $0 << 8 | Int($1) }
      return String(decoding: bytes.dropFirst(4).prefix(length), as: UTF8.self)
        .split(separator: "\n").map(String.init)
    }
  }

  /// The numbers in the lines with this first word: `worker`, `child`.
  public func numbers(_ word: String) throws -> [Int32] {
    try log.compactMap { line in
      line.hasPrefix(word + " ") ? Int32(line.dropFirst(word.count + 1)) : nil
    }
  }
}

/// Whether all these processes have ended within ten seconds.
public func haveEnded(_ processes: [Int32]) async throws -> Bool {
  let end = ContinuousClock.now.advanced(by: .seconds(10))
  while processes.contains(where: isRunning) {
    guard ContinuousClock.now < end else { return false }
    try await Task.sleep(for: .milliseconds(20))
  }
  return true
}

/// Whether a process runs. One whose parent has not waited for it yet (Z) has ended.
public func isRunning(_ process: Int32) -> Bool {
  guard let text = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8),
    let name = text.lastIndex(of: ")")
  else { return false }
  return text[name...].dropFirst(2).first != "Z"
}
