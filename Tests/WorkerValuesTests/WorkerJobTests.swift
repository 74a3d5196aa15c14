import Glibc
import TesseraCatalog
import TesseraPlaceholder
import TesseraPlan
import TesseraSystem
import TesseraTestSupport
import TesseraWire
import Testing

@testable import TesseraWorkers

/// What jobs are, what counts as an answer to them, and what a failure says.
@Suite struct WorkerJobTests {
  private static let facts = SourceFacts(size: Size(100, 50), hasAlpha: false, frames: 3)

  private static func files(_ lengths: [Int]) -> WorkerReply {
    .files(
      TranscodeResult(
        facts: facts, placeholders: Placeholders(), warnings: [], lengths: lengths))
  }

  private static func transcode(files: [(Int, Int, Bool)]) -> TranscodeJob {
    TranscodeJob(
      identifier: 5, format: "gif", expected: facts,
      decode: DecodePlan(base: Size(100, 50), isAnimated: true, keepsProfile: false),
      failOn: .error, maximumPixels: 1, maximumFrames: 1,
      files: files.map { width, height, isAnimated in
        PlannedFile(
          crop: nil, size: Size(width, height),
          encoding: Encoding(
            format: .webp, quality: 80, effort: 4, background: nil, isAnimated: isAnimated),
          fallback: nil)
      }, placeholders: [])
  }

  private static func table(_ sizes: [Size], atlas: Size? = nil) -> TableJob {
    TableJob(
      identifier: 6, pixels: .bgra8, rowBytes: 1, entryBytes: 1, background: .white,
      atlas: atlas.map { .init(size: $0, quality: 80, effort: 2) }, maximumPixels: 1,
      entries: sizes.map { .init(offset: 0, length: 1, format: "webp", size: $0) })
  }

  private static let comparison = ComparisonJob(
    identifier: 7, size: Size(40, 30), reference: .init(length: 1, format: "png"),
    candidate: .init(length: 1, format: "jxl"))
  private static let likeness = Likeness(
    score: 1, worstTile: .init(score: 1, x: 0, y: 0, size: Size(1, 1)))

  /// In pixels to encode: decoding ten of them is as much work as encoding one.
  @Test func workIsInPixels() {
    #expect(Self.transcode(files: []).work == 1_500)
    #expect(Self.transcode(files: [(10, 10, true), (20, 30, false)]).work == 1_500 + 300 + 600)
    #expect(Self.table([Size(50, 60), Size(20, 10)]).work == 320)
    #expect(Self.table([Size(50, 60)], atlas: Size(64, 32)).work == 2_348)
    #expect(Self.comparison.work == 1_200)
  }

  @Test func requestsHaveTheirJobs() throws {
    let (transcode, table) = (Self.transcode(files: [(1, 2, true)]), Self.table([Size(1, 1)]))
    let jobs: [(any WorkerJob, WorkerRequest, Int)] = [
      (transcode, .transcode(transcode), 5), (table, .table(table), 6),
      (Self.comparison, .compare(Self.comparison), 7),
    ]
    for (job, request, number) in jobs {
      #expect(job.line.last == UInt8(ascii: "\n"))
      let (message, identifier) = try WireLine.message(
        WorkerRequest.self, job.line.dropLast())
      #expect(message == request)
      #expect(identifier == number)
    }
  }

  /// A reply of another kind, or about another number of files, has no lengths.
  @Test func lengthsAreThoseOfTheReply() {
    let two = Self.transcode(files: [(1, 2, true), (3, 4, false)])
    #expect(two.lengths(in: Self.files([8, 9])) == [8, 9])
    #expect(two.lengths(in: Self.files([8])) == nil)
    #expect(two.lengths(in: Self.files([8, 9, 1])) == nil)
    #expect(two.lengths(in: .table(TableResult(length: 1, leftOut: []))) == nil)
    let table = Self.table([])
    #expect(table.lengths(in: .table(TableResult(length: 11, leftOut: [2]))) == [11])
    #expect(table.lengths(in: Self.files([])) == nil)
    #expect(Self.comparison.lengths(in: .comparison(Self.likeness)) == [])
    #expect(Self.comparison.lengths(in: Self.files([])) == nil)
  }

  @Test func repliesWithoutAResultHaveAFailure() {
    let failure = TranscodeFailure(.decode, "no")
    let invalid = TranscodeFailure(
      .workerProtocol, "the worker's reply was invalid; the worker was replaced")
    let replies: [(WorkerReply, isWithout: Bool, TranscodeFailure)] = [
      (Self.files([]), false, invalid),
      (.table(TableResult(length: 1, leftOut: [])), false, invalid),
      (.comparison(Self.likeness), false, invalid), (.examination([]), false, invalid),
      (.differs(Self.facts), true, invalid), (.failed(failure), true, failure),
    ]
    for (reply, isWithout, expected) in replies {
      #expect(reply.isWithoutResult == isWithout, "\(reply)")
      #expect(reply.failure == expected, "\(reply)")
    }
    #expect(
      JobOutcome.stopped.reply == .failed(TranscodeFailure(.cancelled, "the run was stopped")))
    #expect(JobOutcome.stopped.memory == nil)
  }

  @Test func filesAreReadWhereTheirLengthsSay() throws {
    let memory = try SharedMemory()
    let bytes: [UInt8] = [1, 2, 2, 3, 3, 3]
    try memory.write(bytes.span.bytes)
    let outcome = JobOutcome(reply: Self.files([1, 2, 0, 3]), memory: memory)
    guard case .made(let files) = TranscodeAnswer(outcome) else {
      Issue.record("not made")
      return
    }
    #expect(files.result.lengths == [1, 2, 0, 3])
    #expect(try (0..<4).map { try files.bytes(of: $0) } == [[1], [2, 2], [], [3, 3, 3]])
  }

  @Test func anOutcomeWithoutFilesIsNotMade() throws {
    let invalid = TranscodeFailure(
      .workerProtocol, "the worker's reply was invalid; the worker was replaced")
    let memory = try SharedMemory()
    let table = WorkerReply.table(TableResult(length: 0, leftOut: []))
    let outcomes: [(JobOutcome, TranscodeFailure)] = [
      (JobOutcome(reply: Self.files([]), memory: nil), invalid),
      (JobOutcome(reply: table, memory: memory), invalid),
      (.stopped, TranscodeFailure(.cancelled, "the run was stopped")),
    ]
    for (outcome, failure) in outcomes {
      guard case .failed(let found) = TranscodeAnswer(outcome) else {
        Issue.record("\(outcome.reply) did not fail")
        continue
      }
      #expect(found == failure)
    }
    let other = TranscodeAnswer(JobOutcome(reply: .differs(Self.facts), memory: nil))
    if case .differs(let found) = other {
      #expect(found == Self.facts)
    } else {
      Issue.record("does not differ")
    }
  }

  /// A worker gets its source and the memory for its files, in this order, and no path.
  @Test func theFilesOfAJobAreDescriptors() throws {
    let folder = try TemporaryFolder()
    let path = try folder.write("source", to: "a")
    for (source, text) in [
      (JobSource.Bytes.file(path: path), "source"), (.memory(Array("memory".utf8)), "memory"),
    ] {
      let files = try JobFiles(JobSource(source, host: "h"))
      let descriptors = files.descriptors
      try #require(descriptors.count == 2)
      var found = [UInt8](repeating: 0, count: 9)
      #expect(pread(descriptors[0], &found, 9, 0) == 6)
      #expect(String(decoding: found.prefix(6), as: UTF8.self) == text)
      #expect(write(descriptors[1], "abc", 3) == 3)
      #expect(try files.memory.read(3, at: 0) == Array("abc".utf8))
    }
  }

  @Test(arguments: [
    ([3], true), ([1, 2, 0], true), ([], false), ([1, 1], false), ([1, 3], false),
  ])
  func filesAreAsLongAsTheReplySays(_ lengths: [Int], _ isSealed: Bool) throws {
    let files = try JobFiles(JobSource(.memory(Array("source".utf8)), host: "h"))
    let memory = files.descriptors[1]
    #expect(write(memory, "abc", 3) == 3)
    let found = files.seal(lengths)
    #expect(found == isSealed)
    // Nothing changes any more, and nothing is sealed twice.
    #expect(write(memory, "d", 1) == -1)
    let again = files.seal(lengths)
    #expect(!again)
  }

  @Test func aSourceThatIsMissingIsAnError() {
    #expect(throws: SystemError("open", "/nowhere/a", code: ENOENT)) {
      _ = try JobFiles(JobSource(.file(path: "/nowhere/a"), host: "h"))
    }
  }

  @Test func workIsAddedUp() {
    let watch = JobWatch()
    #expect(watch.time == .zero)
    watch.add(.seconds(2))
    watch.add(.milliseconds(5))
    #expect(watch.time == .milliseconds(2_005))
  }
}
