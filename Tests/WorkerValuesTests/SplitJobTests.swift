import TesseraPlan
import TesseraSystem
import TesseraTestSupport
import Testing

@testable import TesseraWorkers

/// How one of the last jobs becomes several, and how their answers become one.
@Suite struct SplitJobTests {
  /// A job with files of these sizes.
  private static func job(_ sizes: [(Int, Int)], animated: Set<Int> = []) -> TranscodeJob {
    let files = sizes.enumerated().map { index, size in
      PlannedFile(
        crop: nil, size: Size(size.0, size.1),
        encoding: Encoding(
          format: .webp, quality: 80, effort: 4, background: nil,
          isAnimated: animated.contains(index)), fallback: nil)
    }
    return TranscodeJob(
      format: "jpeg",
      expected: SourceFacts(size: Size(2_000, 1_000), hasAlpha: false, frames: 3),
      decode: DecodePlan(base: Size(1_000, 500), isAnimated: false, keepsProfile: false),
      failOn: .error, maximumPixels: 9, maximumFrames: 8, files: files,
      placeholders: [.color, .thumbhash])
  }

  /// The positions of the files of each part.
  private static func parts(_ job: TranscodeJob, among workers: Int) -> [[Int]] {
    SplitJob(job, among: workers).jobs.map { part in
      part.files.map { job.files.firstIndex(of: $0) ?? -1 }
    }
  }

  @Test(
    arguments: [
      // Sizes, free workers, parts.
      ([(1_000, 1_000), (900, 1_000)], 0, [[0, 1]]),
      ([(1_000, 1_000), (900, 1_000)], 1, [[0, 1]]),
      ([(1_000, 1_000), (900, 1_000)], 2, [[0], [1]]), ([(1_000, 1_000)], 4, [[0]]),
      ([], 2, [[]]),
      // The largest first, each to the part with the least work.
      (
        [(1_000, 1_000), (1_000, 900), (1_000, 800), (1_000, 750), (1_000, 150)], 2,
        [[0, 3], [1, 2, 4]]
      ),
      ([(1_000, 700), (1_000, 800), (1_000, 900)], 3, [[2], [1], [0]]),
      ([(1_000, 700), (1_000, 800), (1_000, 900)], 9, [[2], [1], [0]]),
      // A small file goes with a large one, and does not change what is worth a part.
      ([(100, 100), (1_000, 1_000), (1_000, 800)], 3, [[1], [2, 0]]),
      ([(400, 300), (300, 300), (1_000, 1_000)], 3, [[0, 1, 2]]),
      ([(100, 100), (90, 100)], 2, [[0, 1]]),
    ] as [([(Int, Int)], Int, [[Int]])])
  func filesAreDividedByTheirWork(_ sizes: [(Int, Int)], _ workers: Int, _ parts: [[Int]]) {
    #expect(Self.parts(Self.job(sizes), among: workers) == parts)
  }

  @Test func aQuarterOfAMillionPixelsIsWorthADecode() {
    expectLeast(500) { height in
      Self.parts(Self.job([(1_000, 1_000), (500, height)]), among: 2).count == 2
    }
  }

  @Test func everyFrameOfAnAnimationIsWork() {
    // 300 x 300 pixels are 270,000 in three frames.
    let sizes = [(1_000, 1_000), (300, 300)]
    #expect(Self.parts(Self.job(sizes), among: 2) == [[0, 1]])
    #expect(Self.parts(Self.job(sizes, animated: [1]), among: 2) == [[0], [1]])
    #expect(Self.parts(Self.job([(600, 600), (400, 400)], animated: [1]), among: 2) == [[1], [0]])
  }

  @Test func searchedQualitiesAreNotSplit() {
    var job = Self.job([(1_000, 1_000), (900, 1_000)])
    job.files[1].encoding.quality = nil
    #expect(Self.parts(job, among: 2) == [[0], [1]])
    job.files[1].encoding.automatic = AutomaticQuality()
    #expect(SplitJob(job, among: 2).jobs == [job])
  }

  @Test func theFirstPartMakesThePlaceholders() {
    let whole = Self.job([(1_000, 800), (1_000, 1_000), (10, 10)])
    var (first, second) = (whole, whole)
    first.files = [whole.files[1]]
    second.files = [whole.files[0], whole.files[2]]
    second.placeholders = []
    #expect(SplitJob(whole, among: 2).jobs == [first, second])
    #expect(SplitJob(whole, among: 1).jobs == [whole])
  }

  // MARK: Answers

  private static func made(
    _ files: [[UInt8]], color: String? = nil, _ warnings: [SourceWarning] = []
  ) -> TranscodeAnswer {
    let facts = SourceFacts(size: Size(2_000, 1_000), hasAlpha: false, frames: 1)
    let result = TranscodeResult(
      facts: facts, placeholders: Placeholders(color.map { [.color: $0] } ?? [:]),
      warnings: warnings, lengths: files.map(\.count))
    return .made(MadeFiles(result) { files[$0] })
  }

  @Test func answersAreJoinedInTheOrderOfTheJob() throws {
    let split = SplitJob(
      Self.job([(1_000, 800), (10, 10), (1_000, 1_000), (1_000, 700)]), among: 2)
    // The parts are [2, 1] and [0, 3].
    let joined = split.joined([
      Self.made([[3, 3, 3], [2, 2]], color: "#010203", [.damagedProfile]),
      Self.made(
        [[1], [4, 4, 4, 4]], color: "#ffffff",
        [.damagedProfile, .unusableProfile(detail: "a"), .unusableProfile(detail: "b")]),
    ])
    guard case .made(let files) = joined else {
      Issue.record("not made")
      return
    }
    #expect(
      files.result
        == TranscodeResult(
          facts: SourceFacts(size: Size(2_000, 1_000), hasAlpha: false, frames: 1),
          placeholders: Placeholders([.color: "#010203"]),
          warnings: [
            .damagedProfile, .unusableProfile(detail: "a"), .unusableProfile(detail: "b"),
          ], lengths: [1, 2, 3, 4]))
    #expect(
      try (0..<4).map { try files.bytes(of: $0) } == [[1], [2, 2], [3, 3, 3], [4, 4, 4, 4]])
  }

  @Test func theAnswerOfAPartWithoutFilesIsThatOfTheJob() {
    let split = SplitJob(Self.job([(1_000, 800), (1_000, 1_000)]), among: 2)
    let facts = SourceFacts(size: Size(1, 1), hasAlpha: true, frames: 1)
    let no = TranscodeFailure(.decode, "no")
    let first = split.joined([.differs(facts), .failed(no)])
    if case .differs(let found) = first { #expect(found == facts) } else { Issue.record("made") }
    let second = split.joined([Self.made([[1]]), .failed(no)])
    if case .failed(let found) = second { #expect(found == no) } else { Issue.record("made") }
  }

  @Test func aFileThatCannotBeReadIsAnError() {
    let split = SplitJob(Self.job([(1_000, 1_000)]), among: 1)
    let error = SystemError("read", "a file in memory", code: 5)
    guard case .made(let whole) = Self.made([[1]]) else { return }
    let unreadable = MadeFiles(whole.result) { (_: Int) throws(SystemError) -> [UInt8] in
      throw error
    }
    let joined = split.joined([.made(unreadable)])
    guard case .made(let files) = joined else {
      Issue.record("not made")
      return
    }
    #expect(throws: error) { try files.bytes(of: 0) }
  }
}
