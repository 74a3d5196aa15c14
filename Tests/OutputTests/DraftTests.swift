import Foundation
import TesseraSystem
import TesseraTestSupport
import Testing

@testable import TesseraOutput

/// Documents that are not complete yet, and what a killed process leaves of them.
@Suite struct DraftTests {
  private struct Failure: Error {}

  @Test func aDraftIsRemovedOnEveryWayOut() async throws {
    let folder = try TemporaryFolder()
    let target = folder.path("target")
    func write(_ draft: String) throws {
      try FileManager.default.createDirectory(atPath: draft, withIntermediateDirectories: true)
      try Data("x".utf8).write(to: URL(filePath: draft + "/file"))
    }
    #expect(throws: Failure.self) {
      try Draft.publish(to: target) { draft in
        try write(draft)
        throw Failure()
      }
    }
    #expect(folder.files(below: "").isEmpty)
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      try Draft.publish(to: target) { try write($0) }
    }
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(folder.files(below: "").isEmpty)
    try Draft.publish(to: target) { try write($0) }
    #expect(folder.files(below: "") == ["target/file"])
  }

  /// An error, not another attempt without end.
  @Test func aFolderThatTakesNoFilesIsAnError() throws {
    #expect(throws: SystemError.self) {
      try Draft.publish(to: "/proc/target") { _ in Issue.record("a draft was made") }
    }
  }

  @Test(
    arguments: [
      ("run.json.tessera-12.new", "run.json"), ("a.b.tessera-1.new", "a.b"),
      (".tessera-1.new", ""), ("run.json.12.new", nil), ("run.json.tessera-.new", nil),
      ("run.json.tessera-1x.new", nil), ("run.json.tessera-1.new.jpg", nil),
      ("run.json", nil), ("new", nil), ("tessera-1.new", nil),
    ] as [(String, String?)])
  func onlyTheExactPatternIsADraft(_ name: String, _ document: String?) {
    #expect(Draft.document(of: name).map(String.init) == document)
  }

  /// Those of living processes are locked. Names that users give are left alone.
  @Test(.faults(.f20)) func draftsOfDeadProcessesAreRemoved() throws {
    let folder = try TemporaryFolder()
    let directory = try Directory(folder.url.path)
    let living = try directory.makeDirectory("page.html.tessera-1.new").lock()
    defer { withExtendedLifetime(living) {} }
    _ = try directory.makeDirectory("page.html.tessera-2.new/inside")
    _ = try directory.makeDirectory("other.html.tessera-2.new")
    try folder.write("", to: "page.html.3.new")
    try Draft.clear(directory, of: "page.html")
    #expect(
      try directory.list() == [
        "other.html.tessera-2.new", "page.html.3.new", "page.html.tessera-1.new",
      ])
    try folder.write("", to: "run.json.tessera-4.new")
    try Draft.clear(directory)
    #expect(try directory.list() == ["page.html.3.new", "page.html.tessera-1.new"])
  }

  /// Another process may find a draft's folder before it is locked, and removes it as one that is left: then there is another.
  @Test func aDraftOfALivingProcessIsNotTakenForLeft() async throws {
    let folder = try TemporaryFolder()
    let target = folder.path("target")
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        while !Task.isCancelled { try Draft.clear(try Directory(folder.url.path)) }
      }
      for _ in 0..<200 {
        try Draft.publish(to: target) { try Data("x".utf8).write(to: URL(filePath: $0)) }
      }
      group.cancelAll()
      try await group.waitForAll()
    }
    #expect(folder.files(below: "") == ["target"])
  }
}
