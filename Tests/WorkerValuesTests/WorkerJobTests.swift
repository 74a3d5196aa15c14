import Glibc
import TesseraCatalog
import TesseraPlan
import TesseraSystem
import TesseraTestSupport
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
      format: "gif", expected: facts,
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
      pixels: .bgra8, rowBytes: 1, entryBytes: 1, background: .white,
      atlas: atlas.map { .init(size: $0, quality: 80, effort: 2) }, maximumPixels: 1,
      entries: sizes.map { .init(offset: 0, length: 1, format: "webp", size: $0) })
  }

  private static let comparison = ComparisonJob(
    size: Size(40, 30), reference: .init(length: 1, format: "png"),
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
    #expect(transcode.request == .transcode(transcode) && table.request == .table(table))
    #expect(Self.comparison.request == .compare(Self.comparison))
  }

  /// The bytes of a small source go with its job, and its files come with the reply.
  @Test func smallJobsNeedNoFileInMemory() throws {
    #expect(Self.transcode(files: [(64, 64, false), (32, 32, false)]).isSmall)
    #expect(Self.transcode(files: [(256, 256, false)]).isSmall)
    #expect(!Self.transcode(files: [(256, 256, false), (1, 1, false)]).isSmall)
    // Three frames.
    #expect(!Self.transcode(files: [(256, 128, true)]).isSmall)
    // Whose size nothing is known of.
    for (metadata, hasGainMap) in [([.icc], false), ([], true)] as [(MetadataPolicy, Bool)] {
      var job = Self.transcode(files: [(1, 1, false)])
      job.files[0].encoding.metadata = metadata
      job.files[0].encoding.hasGainMap = hasGainMap
      #expect(!job.isSmall)
    }
    #expect(!Self.table([Size(1, 1)]).isSmall && !Self.comparison.isSmall)
    func sent(_ bytes: JobSource.Bytes, isSmall: Bool = true) throws -> (Int, descriptors: Int) {
      let files = try JobFiles(JobSource(bytes, host: "h"), isSmall: isSmall)
      return (files.sent.count, files.descriptors.count)
    }
    let most = [UInt8](repeating: 1, count: JobFiles.mostBytes)
    #expect(try sent(.memory(most)) == (65_536, 0))
    #expect(try sent(.memory(most + [1])) == (0, 2))
    #expect(try sent(.memory([])) == (0, 2))
    #expect(try sent(.memory([1]), isSmall: false) == (0, 2))
    #expect(try sent(.file(path: "/dev/null")) == (0, 2))
  }

  @Test func filesThatCameWithTheReplyAreAsLongAsItSays() throws {
    let files = try JobFiles(JobSource(.memory([7]), host: "h"), isSmall: true)
    let made = files.made([1, 2, 3], [1, 2])
    #expect(try made?.read(2, at: 1) == [2, 3])
    let (short, long) = (files.made([1, 2, 3], [1, 1]), files.made([1, 2, 3], [1, 3]))
    #expect(short == nil && long == nil)
    // What has memory of its own sends nothing.
    let other = try JobFiles(JobSource(.memory([7]), host: "h"))
    let both = other.made([1], [1])
    #expect(both == nil)
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
    #expect(JobOutcome.stopped.made == nil)
  }

  @Test func filesAreReadWhereTheirLengthsSay() throws {
    let memory = try SharedMemory()
    let bytes: [UInt8] = [1, 2, 2, 3, 3, 3]
    try memory.write(bytes.span.bytes)
    let outcome = JobOutcome(reply: Self.files([1, 2, 0, 3]), made: .shared(memory))
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
      (JobOutcome(reply: Self.files([]), made: nil), invalid),
      (JobOutcome(reply: table, made: .shared(memory)), invalid),
      (.stopped, TranscodeFailure(.cancelled, "the run was stopped")),
    ]
    for (outcome, failure) in outcomes {
      guard case .failed(let found) = TranscodeAnswer(outcome) else {
        Issue.record("\(outcome.reply) did not fail")
        continue
      }
      #expect(found == failure)
    }
    let other = TranscodeAnswer(JobOutcome(reply: .differs(Self.facts), made: nil))
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
      let made = files.made([], [3])
      #expect(try made?.read(3, at: 0) == Array("abc".utf8))
    }
  }

  @Test(arguments: [
    ([3], true), ([1, 2, 0], true), ([], false), ([1, 1], false), ([1, 3], false),
  ])
  func filesAreAsLongAsTheReplySays(_ lengths: [Int], _ isSealed: Bool) throws {
    let files = try JobFiles(JobSource(.memory(Array("source".utf8)), host: "h"))
    let memory = files.descriptors[1]
    #expect(write(memory, "abc", 3) == 3)
    let found = files.made([], lengths) != nil
    #expect(found == isSealed)
    // Nothing changes any more, and nothing is sealed twice.
    #expect(write(memory, "d", 1) == -1)
    let again = files.made([], lengths)
    #expect(again == nil)
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
