import Foundation
import TesseraPlan
import TesseraTestSupport
import TesseraWorkers
import Testing

/// The end of a run, when there are fewer jobs than workers.
@Suite struct LastJobsTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// Otherwise one worker may have it alone while the others have nothing left to do.
  @Test func theLargestOfTheLastJobsIsNext() async throws {
    // The first job ends once there is a file "go"; each is noted by its identifier.
    let pool = try await WorkerPool.start(
      settings(
        try impostor(
          """
          while read line <&3; do
            job=${line#*'"job":'}; job=${job%%,*}
            pixels=${line#*'"maximumPixels":'}; pixels=${pixels%%,*}
            while ! [ -e '\(folder.path("go"))' ]; do sleep 0.05; done
            echo $pixels >> '\(folder.path("jobs"))'
            echo '{"job":'$job',"message":{"failed":{"_0":{"code":"decode","message":"no"}}}}' >&3
          done
          """, in: folder), seconds: 60))
    defer { pool.close() }
    pool.expectLastJobs()
    func start(_ identifier: Int, _ size: Size, files: Int = 1) -> Task<Void, any Error> {
      let job = job(
        format: "jpeg", size: size, pixels: identifier,
        files: (0..<files).map { _ in file(100, 100) })
      return Task { [job] in _ = try await pool.perform(job, of: anySource) }
    }
    func until(_ holds: (WorkerStatistics) -> Bool) async throws {
      while !holds(pool.statistics) { try await Task.sleep(for: .milliseconds(5)) }
    }
    let first = start(1, Size(1, 1))
    try await until { $0.working == 1 }
    let others = [
      start(2, Size(400, 300)), start(3, Size(4_000, 3_000)), start(4, Size(400, 300), files: 3),
    ]
    try await until { $0.waiting == 3 }
    try Data().write(to: URL(filePath: folder.path("go")))
    for task in [first] + others { try await task.value }
    let jobs = try String(contentsOfFile: folder.path("jobs"), encoding: .utf8)
    #expect(jobs == "1\n3\n4\n2\n")
  }

  /// Workers that have no job of their own make some of its files. The bytes and all else that is
  /// reported do not depend on it.
  @Test func theFilesOfTheLastJobsAreMadeSideBySide() async throws {
    try await Pixels.make(folder.path("a.jpg"), width: 1_600, height: 1_200) { x, y in
      [x / 7 & 255, y / 5 & 255, (x + y) / 11 & 255]
    }
    var job = job(
      format: "jpeg", size: Size(1_600, 1_200),
      files: [file(100, 75), file(800, 600), file(50, 38, .jpeg), file(720, 540, .jpeg)],
      placeholders: [.thumbhash])
    job.decode.base = Size(1_600, 1_200)
    let pool = try await WorkerPool.start(settings(Places.worker, count: 2))
    defer { pool.close() }
    let source = JobSource(.file(path: folder.path("a.jpg")), host: "example.com")
    let whole = try #require(try await pool.perform(job, of: source).made)
    #expect(pool.statistics.jobs == 1)
    pool.expectLastJobs()
    // The second worker's thread may not wait for jobs yet.
    var split: MadeFiles?
    var jobs = 1
    for _ in 0..<50 where pool.statistics.jobs - jobs < 2 {
      jobs = pool.statistics.jobs
      split = try await pool.perform(job, of: source).made
    }
    #expect(pool.statistics.jobs - jobs == 2)
    let made = try #require(split)
    #expect(made.result == whole.result)
    for index in job.files.indices { #expect(try made.bytes(of: index) == whole.bytes(of: index)) }
    // A failure of one part is the job's.
    job.expected.size = Size(1_600, 1_201)
    guard case .differs(let facts) = try await pool.perform(job, of: source) else {
      Issue.record("it does not differ")
      return
    }
    #expect(facts.size == Size(1_600, 1_200))
  }
}

extension TranscodeAnswer {
  fileprivate var made: MadeFiles? {
    if case .made(let files) = self { files } else { nil }
  }
}
