import Foundation
import TesseraCatalog
import TesseraTestSupport
import Testing

/// `file:` sources on a mount whose server is gone: a read of them never returns.
@Suite(.timeLimit(.minutes(20))) struct HungFileTests {
  /// A pipeline with files of a folder that hangs, followed by `others`.
  private static func fixture(
    hanging count: Int, deadline: String, others: [String]
  ) async throws -> (RunFixture, [String: String]) {
    let fixture = try RunFixture(manifest: "")
    let folder = fixture.folder
    let mount = folder.path("mount")
    try FileManager.default.createDirectory(atPath: mount, withIntermediateDirectories: true)
    let files = try (0..<count).map { index in
      try Data(try Places.bytes("one-pixel.png")).write(to: URL(filePath: "\(mount)/\(index).png"))
      return "file://\(mount)/\(index).png\n"
    }
    try folder.write((files + others.map { "\($0)\n" }).joined(), to: "manifest")
    let allowed = #"[loopback, "files:\#(folder.url.path)", "files:\#(Places.fixtures.path)"]"#
    try fixture.write(
      keys: "fetch: {allow: \(allowed), retries: 3, deadline: \(deadline)}",
      slots: "slots: {a: {size: 8x8}}")
    let shim = try await Shim(in: folder, for: folder.path("out"))
    return (fixture, shim.hanging(in: mount))
  }

  /// One file that hangs costs its item's deadline. Other files, and the network, go on meanwhile.
  @Test func aFileThatHangsFailsAlone() async throws {
    let server = try FaultServer(["/a": { $1.fixture("plain.jpg") }])
    defer { server.stop() }
    let (fixture, environment) = try await Self.fixture(
      hanging: 1, deadline: "3s",
      others: [
        server.url("/a"), "file://\(Places.fixture("grey.png").path)",
        "data:image/png;base64,"
          + Data(try Places.bytes("one-pixel.png")).base64EncodedString(),
      ])
    let result = try await fixture.run(environment: environment)
    #expect(result.status == 1, "\(result.errors)")
    let images = try fixture.catalog.images
    #expect(images.map(\.status) == [.failed, .ok, .ok, .ok])
    #expect(images[0].error?.code == "timeout")
    #expect(images[0].error?.message == "The file could not be read within 3 s (deadline).")
    #expect(images[0].error?.retryable == true)
    // The mount answers again.
    #expect(try await fixture.run().status == 0)
  }

  /// Many files that hang do not use up all threads: after some of them, the others are skipped.
  @Test func aMountThatHangsIsGivenUp() async throws {
    let (fixture, environment) = try await Self.fixture(
      hanging: 30, deadline: "1s", others: ["file://\(Places.fixture("grey.png").path)"])
    let result = try await fixture.run(environment: environment)
    #expect(result.status == 1, "\(result.errors)")
    let messages = try fixture.catalog.images.compactMap { $0.error?.message }
    let late = messages.count { $0 == "The file could not be read within 1 s (deadline)." }
    let skipped = messages.count {
      $0.hasPrefix("Files are skipped for now, because \(late) of them could not be read in time; ")
    }
    // Six at a time (`per-host`): at least eight threads are left behind, and one round more at most.
    #expect((8..<8 + 6).contains(late), "\(messages)")
    #expect(late + skipped == 31, "\(messages)")
  }

  /// The end of a run does not wait for a file either.
  @Test(arguments: [SIGINT, nil] as [Int32?])
  func aRunEndsInSpiteOfAFileThatHangs(_ number: Int32?) async throws {
    let server = try FaultServer(["/a": { $1.fixture("plain.jpg") }])
    defer { server.stop() }
    let (fixture, environment) = try await Self.fixture(
      hanging: 1, deadline: "10m", others: [server.url("/a")])
    let running = try Tool.start(
      Places.tessera,
      ["run", fixture.folder.path("feed.yaml")] + (number == nil ? ["--deadline", "4s"] : []),
      environment: environment)
    for _ in 0..<3_000 where fixture.folder.files(below: "out/variants").isEmpty {
      try await Task.sleep(for: .milliseconds(10))
    }
    let clock = ContinuousClock.now
    if let number { running.signal(number) }
    let result = await running.end()
    // The item has ten minutes; the machine may be busy.
    #expect(clock.duration(to: .now) < .seconds(300))
    #expect(result.status == (number == nil ? 1 : 130), "\(result.errors)")
  }
}
