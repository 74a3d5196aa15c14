import Foundation

/// Simulates failing disks and power cuts with a preloaded library, `Tests/Shims/faults.c`. That
/// file documents the environment variables.
public struct Shim: Sendable {
  private let library: String
  private let root: String
  /// The folder that receives what a power cut would leave.
  private let image: String

  /// - Parameters:
  ///   - folder: the folder for the library and the image of the disk.
  ///   - root: the folder whose file operations are intercepted.
  public init(in folder: TemporaryFolder, for root: String) async throws {
    library = try await Self.build("faults", in: folder)
    self.root = root
    image = folder.path("image")
  }

  /// Compiles a library of `Tests/Shims`. Returns its path.
  public static func build(_ name: String, in folder: TemporaryFolder) async throws -> String {
    let library = folder.path("\(name).so")
    let source = Places.root.appending(path: "Tests/Shims/\(name).c").path
    let built = try await Tool.run(
      "/usr/bin/env", ["clang", "-shared", "-fPIC", "-O1", "-o", library, source])
    guard built.status == 0 else { throw Failure(message: built.errors) }
    return library
  }

  /// A shim for another folder, with the same library.
  public func with(root: String, image: String) -> Shim {
    Shim(library: library, root: root, image: image)
  }

  private init(library: String, root: String, image: String) {
    (self.library, self.root, self.image) = (library, root, image)
  }

  public struct Failure: Error {
    public var message: String
  }

  /// The environment that makes calls fail.
  ///
  /// - Parameters:
  ///   - error: a number, `short` or `interrupt`.
  ///   - count: how many calls fail; 0 means all that follow.
  public func failing(
    _ calls: String, _ error: String, at first: Int, count: Int
  ) -> [String: String] {
    [
      "LD_PRELOAD": library, "SHIM_ROOT": root, "SHIM_CALLS": calls, "SHIM_ERROR": error,
      "SHIM_AT": "\(first)", "SHIM_FOR": "\(count)",
    ]
  }

  /// The environment that kills the process right before a call.
  public func killing(_ calls: String, at number: Int) -> [String: String] {
    failing(calls, "kill", at: number, count: 1)
  }

  /// Counts the calls of a program.
  ///
  /// - Parameter run: runs the program to its end, with this environment.
  public func count(
    _ calls: String, of run: ([String: String]) async throws -> Void
  ) async throws -> Int {
    let file = image + ".count"
    try await run([
      "LD_PRELOAD": library, "SHIM_ROOT": root, "SHIM_CALLS": calls, "SHIM_COUNT": file,
    ])
    let text = try String(contentsOfFile: file, encoding: .utf8)
    guard let number = Int(text) else { throw Failure(message: "no number: \(text)") }
    return number
  }

  /// The environment in which reading a file in a folder never returns.
  public func hanging(in folder: String) -> [String: String] {
    ["LD_PRELOAD": library, "SHIM_HANG": folder]
  }

  /// The environment that records what is on the disk, with a boot id.
  public func remembering(boot: String) throws -> [String: String] {
    try FileManager.default.createDirectory(atPath: image, withIntermediateDirectories: true)
    return try booted(boot).merging(["SHIM_IMAGE": image]) { $1 }
  }

  /// The environment of a machine with a boot id.
  public func booted(_ boot: String) throws -> [String: String] {
    let path = image + ".boot-\(boot)"
    try Data("\(boot)\n".utf8).write(to: URL(filePath: path))
    return ["LD_PRELOAD": library, "SHIM_ROOT": root, "SHIM_BOOT": path]
  }

  /// What reaches the disk before a power cut besides synced data.
  public enum Survival: Sendable, CaseIterable {
    case nothing
    /// All names, with zeros in place of unsynced bytes, as on file systems that write names first.
    case names
    /// Also all bytes of databases.
    case namesAndDatabases
  }

  /// Reduces the folder to what a power cut leaves.
  public func cutPower(_ survival: Survival) throws {
    if survival != .nothing {
      let files = FileManager.default
      for name in files.enumerator(atPath: root)?.compactMap({ $0 as? String }) ?? [] {
        if survival == .namesAndDatabases, name.contains(".sqlite") { continue }
        let path = "\(root)/\(name)"
        let facts = try files.attributesOfItem(atPath: path)
        guard facts[.type] as? FileAttributeType == .typeRegular,
          let number = facts[.systemFileNumber] as? Int, let size = facts[.size] as? Int
        else { continue }
        let kept = files.contents(atPath: "\(image)/\(number)")
        try (kept ?? Data(count: size)).write(to: URL(filePath: path))
      }
    } else {
      let facts = try FileManager.default.attributesOfItem(atPath: root)
      let lost = root + ".lost"
      try FileManager.default.moveItem(atPath: root, toPath: lost)
      try restoreFolder(facts[.systemFileNumber] as? Int ?? 0, as: root)
      try FileManager.default.removeItem(atPath: lost)
    }
  }

  private func restoreFolder(_ number: Int, as path: String) throws {
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    guard let list = FileManager.default.contents(atPath: "\(image)/\(number)") else { return }
    for line in String(decoding: list, as: UTF8.self).split(separator: "\n") {
      let parts = line.split(separator: " ", maxSplits: 2)
      guard parts.count == 3, let number = Int(parts[1]) else { continue }
      let below = "\(path)/\(parts[2])"
      if parts[0] == "d" {
        try restoreFolder(number, as: below)
      } else {
        let bytes = FileManager.default.contents(atPath: "\(image)/\(number)") ?? Data()
        try bytes.write(to: URL(filePath: below))
      }
    }
  }
}
