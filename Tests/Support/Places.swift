import Foundation

/// The locations of files in the checkout.
public enum Places {
  /// The package's root.
  public static let root = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  public static let fixtures = root.appending(path: "Tests/Fixtures")

  public static func fixture(_ name: String) -> URL { fixtures.appending(path: name) }

  /// The bytes of a fixture.
  public static func bytes(_ name: String) throws -> [UInt8] {
    Array(try Data(contentsOf: fixture(name)))
  }

  /// The names of all images among the fixtures.
  public static func images() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: fixtures.path)
      .filter { $0.contains(".") }.sorted()
  }

  /// The executables that tests start: those of this build, or of the folder that the environment names. `Tests/run` names
  /// those that the quickstart has built, as users have them.
  public static let products =
    ProcessInfo.processInfo.environment["TESSERA_PRODUCTS"].map { URL(filePath: $0) }
    ?? root.appending(path: ".build/debug")
  public static let tessera = products.appending(path: "tessera").path
  public static let worker = products.appending(path: "tessera-worker").path
}

/// A folder that is deleted when this object is, or stays, if `TESSERA_KEEP_FILES` names a folder for it (`Tests/repeat`).
public final class TemporaryFolder: Sendable {
  public let url: URL

  private static let kept = ProcessInfo.processInfo.environment["TESSERA_KEEP_FILES"].map {
    URL(filePath: $0)
  }

  public init() throws {
    url = (Self.kept ?? FileManager.default.temporaryDirectory).appending(
      path: "tessera-test-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit {
    if Self.kept == nil { try? FileManager.default.removeItem(at: url) }
  }

  public func path(_ name: String) -> String { url.appending(path: name).path }

  /// Creates the folders of `name`, too.
  @discardableResult
  public func write(_ text: String, to name: String) throws -> String {
    let file = url.appending(path: name)
    try FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(text.utf8).write(to: file)
    return path(name)
  }

  public func read(_ name: String) throws -> Data {
    try Data(contentsOf: url.appending(path: name))
  }

  public func text(_ name: String) throws -> String {
    String(decoding: try read(name), as: UTF8.self)
  }

  /// Paths of all files below a folder of this one, relative to it, sorted.
  public func files(below name: String) -> [String] {
    let base = url.appending(path: name).path
    let found = FileManager.default.enumerator(atPath: base)?.compactMap { $0 as? String } ?? []
    var isFolder: ObjCBool = false
    return found.filter {
      FileManager.default.fileExists(atPath: "\(base)/\($0)", isDirectory: &isFolder)
        && !isFolder.boolValue
    }.sorted()
  }
}
