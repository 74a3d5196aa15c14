import Foundation
import Synchronization
import TesseraImageHeader
import TesseraSystem
import TesseraTestSupport
import Testing

@testable import TesseraNet

/// Sizes of files, and answers in the order of their sources.
@Suite struct FileProbeTests {
  private static func outline(_ result: Result<ImageHeader, ProbeFailure>) -> String {
    switch result {
    case .success(let header): "\(header.width)x\(header.height)"
    case .failure(let failure):
      "\(failure.code): \(failure.message)\(failure.isRetryable ? " (retryable)" : "")"
    }
  }

  private static func probe(
    _ path: String, deadline: Duration = .seconds(20), maximumBytes: Int = 1_000_000
  ) async -> (String, Int) {
    let answer = await FileProbe(deadline: deadline, maximumBytes: maximumBytes).probe(path)
    #expect(answer.source == path)
    #expect(answer.requests == 0)
    return (outline(answer.result), answer.bytesRead)
  }

  @Test func aFileIsReadInParts() async throws {
    let folder = try TemporaryFolder()
    let path = folder.path("a.jpg")
    try Data(CameraJPEG.bytes()).write(to: URL(filePath: path))
    // The first part, and a hop to the size, which follows after 20 kB.
    #expect(await Self.probe(path) == ("3000x4000", 3584 + 4096))
    let late = "too-large: The first 3584 bytes do not state the image's size."
    #expect(await Self.probe(path, maximumBytes: 3584) == (late, 3584))
    let short = Places.fixture("grey.png").path
    #expect(await Self.probe(short) == ("120x80", 488))
    #expect(
      await Self.probe(try folder.write("hello", to: "b")).0.hasPrefix("not-image: The file is"))
    #expect(await Self.probe(try folder.write("", to: "c")).1 == 0)
  }

  @Test func whatCannotBeReadIsReported() async throws {
    let folder = try TemporaryFolder()
    let none = folder.path("none")
    #expect(
      await Self.probe(none)
        == ("not-found: Could not open \"\(none)\": No such file or directory.", 0))
    let directory = folder.path("d")
    mkdir(directory, 0o700)
    #expect(
      await Self.probe(directory)
        == ("not-readable: Could not read \"\(directory)\": Is a directory; name a file.", 0))
  }

  /// A pipe is read from its start; one that stays empty is given up.
  @Test func aPipeIsReadAsAStream() async throws {
    let folder = try TemporaryFolder()
    let path = folder.path("pipe")
    mkfifo(path, 0o600)
    let handle = try FileHandle(forUpdating: URL(filePath: path))
    // A stream is read when as much is here as the first request to a server would ask for.
    let small = CameraJPEG.bytes(filler: 10, pixels: 3_500)
    #expect((3_584...4_096).contains(small.count))
    handle.write(Data(small))
    #expect(await Self.probe(path) == ("3000x4000", small.count))
    #expect(
      await Self.probe(path, deadline: .milliseconds(10))
        == ("timeout: No data arrived for 0.01 seconds. (retryable)", 0))
    handle.write(Data(CameraJPEG.bytes()[..<5_000]))
    #expect(
      await Self.probe(path, maximumBytes: 4_500)
        == ("too-large: The first 4500 bytes do not state the image's size.", 4_500))
  }

  // MARK: Sources

  private static func prober(_ fetcher: ScriptedFetcher) -> Prober {
    Prober(
      fetcher: fetcher, RetryPolicy(retries: 0, deadline: .seconds(20)), maximumBytes: 1_000_000,
      concurrency: 3)
  }

  @Test(arguments: [
    (
      "http://u:p@/a", "http:///a",
      "bad-url: The URL must begin with http:// or https:// and a host."
    ),
    ("https:a", "https:a", "bad-url: The URL must begin with http:// or https:// and a host."),
    ("ftp://h/a", "ftp://h/a", "bad-url: The URL must begin with http:// or https://, not ftp://."),
    ("s3:///a", "s3:///a", "bad-url: The URL must begin with http:// or https://, not s3://."),
    ("no:such", "no:such", "not-found: Could not open \"no:such\": No such file or directory."),
    ("nosuch", "nosuch", "not-found: Could not open \"nosuch\": No such file or directory."),
  ])
  func sourcesThatAreNotRequested(_ source: String, _ shown: String, _ result: String) async throws
  {
    let fetcher = try ScriptedFetcher([])
    let answer = try await Self.prober(fetcher).probe(source)
    #expect(answer.source == shown)
    #expect(Self.outline(answer.result) == result)
    #expect(fetcher.requests.isEmpty)
  }

  @Test func answersOfServersHaveTheirCosts() async throws {
    let png = try Places.bytes("grey.png")
    let transient = FetchError(.network, "the connection failed", isRetryable: true)
    for (step, result) in [
      (ScriptedFetcher.Step.whole(png), "120x80"),
      (.failing(transient), "network: The connection failed. (retryable)"),
      (
        .notModified, "bad-response: The server answered 304 to an unconditional request."
      ),
    ] {
      let answer = try await Self.prober(try ScriptedFetcher([step])).probe("http://u:p@h/a")
      #expect(answer.source == "http://h/a")
      #expect(Self.outline(answer.result) == result)
      #expect(answer.bytesRead == step.body.count)
      #expect(answer.requests == 2)
    }
  }

  @Test func readingsAreAnswers() {
    func outline(_ reading: HeaderReading) -> String { Self.outline(ProbeAnswer.result(reading)) }
    #expect(
      outline(.rejected(HeaderRejection(.notImage, "a web page")))
        == "not-image: The file is a web page.")
    #expect(
      outline(.needs(0..<1))
        == "malformed: The file's header does not end within the bytes that may be read.")
  }

  /// Answers keep the order of their sources, in whatever order they arrive.
  @Test func answersAreReportedInOrder() {
    let reported = Mutex<[String]>([])
    let queue = AnswerQueue { answer in reported.withLock { $0.append(answer.source) } }
    func put(_ index: Int) -> [String] {
      queue.put(ProbeAnswer(source: "\(index)", result: .failure(.badURL)), at: index)
      return reported.withLock { $0 }
    }
    expectLeast(5) { queue.isFull(before: $0, limit: 5) }
    #expect(put(2) == [])
    #expect(put(0) == ["0"])
    expectLeast(6) { queue.isFull(before: $0, limit: 5) }
    #expect(put(3) == ["0"])
    #expect(put(1) == ["0", "1", "2", "3"])
    expectLeast(9) { queue.isFull(before: $0, limit: 5) }
  }

  @Test func aListIsProbedInOrder() async throws {
    let folder = try TemporaryFolder()
    let png = Places.fixture("grey.png").path
    let sources: [Result<String, ProbeFailure>] = (0..<20).map { index in
      index % 3 == 0 ? .failure(.badURL) : .success(index % 3 == 1 ? png : folder.path("\(index)"))
    }
    let answers = Mutex<[ProbeAnswer]>([])
    var index = 0
    try await Self.prober(try ScriptedFetcher([])).probe(
      {
        defer { index += 1 }
        return index < sources.count ? sources[index] : nil
      }, answer: { answer in answers.withLock { $0.append(answer) } })
    let found = answers.withLock { $0 }
    #expect(found.map(\.source) == sources.map { (try? $0.get()) ?? "" })
    #expect(found.enumerated().allSatisfy { ($1.bytesRead == 488) == ($0 % 3 == 1) })
  }

  /// One slow source holds back a thousand answers behind it, and no more.
  @Test func answersThatWaitAreLimited() async throws {
    let folder = try TemporaryFolder()
    let path = folder.path("pipe")
    mkfifo(path, 0o600)
    let handle = try FileHandle(forUpdating: URL(filePath: path))
    let taken = Mutex(0)
    let count = Mutex(0)
    async let probing: Void = Self.prober(try ScriptedFetcher([])).probe(
      {
        let index = taken.withLock { taken in
          defer { taken += 1 }
          return taken
        }
        return index == 0 ? .success(path) : index < 1_500 ? .failure(.badURL) : nil
      }, answer: { _ in count.withLock { $0 += 1 } })
    while taken.withLock({ $0 }) < 1_001 { try await Task.sleep(for: .milliseconds(2)) }
    try await Task.sleep(for: .milliseconds(20))
    #expect(taken.withLock { $0 } == 1_001)
    #expect(count.withLock { $0 } == 0)
    handle.write(Data(CameraJPEG.bytes(filler: 10, pixels: 3_500)))
    try await probing
    #expect(count.withLock { $0 } == 1_500)
  }
}
