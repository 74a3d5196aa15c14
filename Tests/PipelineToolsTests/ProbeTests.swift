import Foundation
import Synchronization
import TesseraImageHeader
import TesseraTestSupport
import Testing

@testable import TesseraNet
@testable import tessera

/// `probe`: the answers of a list, and how each is printed.
@Suite struct ProbeTests {
  private static func header(_ fixture: String) throws -> ImageHeader {
    let bytes = try Places.bytes(fixture)
    guard case .header(let header) = ImageHeader.read(bytes.span, isWhole: true) else {
      throw Prober.Failure.badURL
    }
    return header
  }

  @Test func anAnswerIsALineOfJSON() throws {
    let size = ProbeReport(
      Prober.Answer(
        source: "a \"b\".jpg", result: .success(try Self.header("orientation-6.jpg")),
        bytesRead: 4_096, requests: 2))
    #expect(
      text(size.json)
        == #"{"schema":"tessera-probe/1","source":"a \"b\".jpg","width":120,"height":80,"#
        + #""pixelWidth":80,"#
        + #""pixelHeight":120,"orientation":6,"format":"jpeg","alpha":false,"animated":false,"#
        + #""bitsPerChannel":8,"iccProfile":false,"bytesRead":4096,"requests":2}"# + "\n")
    #expect(size.source == "a \"b\".jpg" && size.problem == nil)
    let image = try #require(size.image)
    #expect(image == (120, 80, "jpeg"))
    let failure = ProbeReport(
      Prober.Answer(
        source: "b",
        result: .failure(.init(code: "dns", message: "No name.", isRetryable: true)),
        requests: 3))
    #expect(
      text(failure.json)
        == #"{"schema":"tessera-probe/1","source":"b","error":{"code":"dns","message":"No name.","#
        + #""retryable":true},"bytesRead":0,"requests":3}"# + "\n")
    let problem = try #require(failure.problem)
    #expect(problem == ("dns", "No name.") && failure.image == nil)
  }

  /// What a header does not state is left out.
  @Test func onlyWhatIsKnownIsPrinted() throws {
    func json(_ header: ImageHeader) -> String {
      text(ProbeReport(Prober.Answer(source: "", result: .success(header))).json)
    }
    var header = try Self.header("sixteen-bit.png")
    #expect(json(header).contains(#""alpha":false,"animated":false,"bitsPerChannel":16,"#))
    (header.isAnimated, header.frames, header.hasAlpha) = (nil, 7, true)
    header.hasICCProfile = true
    #expect(
      json(header).contains(#""alpha":true,"frames":7,"bitsPerChannel":16,"iccProfile":true,"#))
  }

  private static func run(
    _ sources: [String], allow: [String] = [], most: Int = 64_000_000, stopAfter count: Int = .max
  ) async throws -> (isComplete: Bool, answers: [String]) {
    let session = ProbeSession(
      concurrency: 2, timeout: .seconds(20), maximumBytes: most, allow: allow)
    let answers = Mutex<[String]>([])
    let isComplete = try await session.run(sources) { report in
      answers.withLock { answers in
        answers.append(
          report.image.map { "\(report.source) \($0.width)x\($0.height) \($0.format)" }
            ?? report.problem.map { "\(report.source) \($0.code): \($0.message)" } ?? "")
        return answers.count < count
      }
    }
    return (isComplete, answers.withLock { $0 })
  }

  @Test func filesAreProbedInTheirOrder() async throws {
    let folder = try TemporaryFolder()
    let notes = try folder.write("not an image", to: "notes:1.txt")
    func path(_ name: String) -> String { Places.fixture(name).path }
    let all = [path("plain.jpg"), path("animated.gif"), path("grey.png")]
    let found = try await Self.run(all)
    #expect(found.isComplete)
    let sizes = [" 240x160 jpeg", " 96x64 gif", " 240x160 png"]
    #expect(found.answers.count == 3)
    for (answer, (source, size)) in zip(found.answers, zip(all, sizes)) {
      #expect(answer.hasPrefix(source) && (source.contains("grey") || answer == source + size))
    }
    let mixed = try await Self.run([notes, all[0]])
    #expect(!mixed.isComplete)
    #expect(
      mixed.answers == [
        "\(notes) not-image: The file is text, not an image.", all[0] + " 240x160 jpeg",
      ])
    #expect(try await Self.run([]).isComplete)
    let stopped = try await Self.run(Array(repeating: all[0], count: 5_000), stopAfter: 1)
    #expect((1..<5_000).contains(stopped.answers.count))
  }

  @Test func theNetworkIsThePublicOne() async throws {
    let server = try FaultServer(["/a.jpg": { $1.fixture("plain.jpg") }])
    let (url, shown) = (
      server.url("/a.jpg").replacing("http://", with: "http://me:pw@"), server.url("/a.jpg")
    )
    let open = try await Self.run([url], allow: ["loopback"])
    #expect(open.isComplete && open.answers == ["\(shown) 240x160 jpeg"])
    let closed = try await Self.run([url])
    #expect(!closed.isComplete)
    #expect(
      closed.answers == [
        "\(shown) address-rejected: 127.0.0.1 is not on the public internet; if that is meant, say "
          + "--allow loopback."
      ])
    let short = try await Self.run([shown], allow: ["loopback"], most: 10)
    #expect(!short.isComplete && short.answers.count == 1)
    server.stop()
  }

  @Test(
    arguments: [
      ("loopback", true), ("private", true), ("10.1.0.0/16", true), ("fc00::/7", true),
      ("public", false), ("", false), ("10.1.0.0/40", false), ("files:/a", false),
    ])
  func networksHaveNames(_ entry: String, _ isOne: Bool) {
    #expect(ProbeSession.understands(entry) == isOne)
  }

  @Test func aCancelledListEnds() async throws {
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await Self.run([Places.fixture("plain.jpg").path]).answers
    }
    await #expect(throws: CancellationError.self) { try await task.value }
  }
}
