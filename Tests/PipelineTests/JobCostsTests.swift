import TesseraMemoryOutput
import TesseraPlan
import TesseraTestSupport
import Testing

@testable import TesseraOutput
@testable import TesseraPipeline
@testable import TesseraPipelineFile
@testable import TesseraState

/// What jobs of workers will cost.
@Suite struct JobCostsTests {
  private static let facts = SourceFacts(
    size: Size(1_000, 1_000), hasAlpha: false, frames: 1)

  private static func job(_ format: OutputFormat, _ effort: Int? = nil, side: Int = 500) -> JobSize
  {
    let encoding = Encoding(
      format: format, quality: 80, effort: effort, background: nil, isAnimated: false)
    return JobSize(
      facts,
      [PlannedFile(crop: nil, size: Size(side, side), encoding: encoding, fallback: nil)])
  }

  /// What is known after jobs on JPEGs.
  private static func costs(_ jobs: [(JobSize, seconds: Double)]) -> JobCosts {
    var known: [CostKind: CostSums] = [:]
    for (job, seconds) in jobs {
      known[.job("jpeg", encoders: job.encoders), default: CostSums()]
        .add(seconds, x: job.source, y: job.files)
    }
    return JobCosts(known)
  }

  private static func usual(_ job: JobSize) -> Double {
    JobCosts([:]).work(job, of: "jpeg").jobSeconds
  }

  /// Of a format that was never made, the time is that of another one in the proportion of their work, and is said to be.
  @Test func anotherFormatIsEstimatedFromTheMeasuredOne() {
    let jpeg = Self.job(.jpeg)
    let costs = Self.costs([(jpeg, 3 * Self.usual(jpeg)), (jpeg, 3 * Self.usual(jpeg))])
    for (other, least) in [(Self.job(.webp, 4), 1.5), (Self.job(.avif, 2), 3.5)] {
      let work = costs.work(other, of: "jpeg")
      #expect(abs(work.jobSeconds / Self.usual(other) - 3) < 1e-9)
      #expect(work.jobSeconds > least * costs.work(jpeg, of: "jpeg").jobSeconds)
      #expect(work.unmeasuredSeconds == work.jobSeconds)
    }
    #expect(costs.work(jpeg, of: "png").unmeasuredSeconds == 0)
    #expect(costs.unmeasured(["jpeg", "avif effort 2"]) == ["avif effort 2"])
    // Another effort is another cost.
    let slow = Self.costs([(Self.job(.webp, 2), 1)])
    #expect(slow.work(Self.job(.webp, 6), of: "jpeg").jobSeconds > 2)
    #expect(slow.unmeasured(["webp effort 6"]) == ["webp effort 6"])
  }

  /// What was measured counts, whatever the proportion.
  @Test func aMeasuredFormatIsWhatItWas() {
    let (webp, avif) = (Self.job(.webp, 4), Self.job(.avif, 2))
    let costs = Self.costs([(webp, 1), (avif, 9), (webp, 1), (avif, 9)])
    for (job, seconds) in [(webp, 1.0), (avif, 9)] {
      let work = costs.work(job, of: "jpeg")
      #expect(abs(work.jobSeconds - seconds) < 1e-9 && work.unmeasuredSeconds == 0)
      // Sources of other formats as well.
      #expect(abs(costs.work(job, of: "png").jobSeconds - seconds) < 1e-9)
    }
  }

  @Test func whatIsNotMeasuredHasARange() async throws {
    var run = try ForecastTests.begun()
    let lines = ForecastTests.lines(0..<60)
    _ = try await run.wholeRun(lines)
    let state = try StateStore(path: run.workspace.statePath())
    var sums = CostSums()
    sums.add(60, x: 2, y: 1)
    try await state.add([.job("webp", encoders: ["webp effort 4"]): sums])
    run.file.plan.formats = [.fixed(.avif)]
    var next = try await ForecastTests.forecast(run, lines)
    #expect(next.unmeasured == ["avif effort 2"] && next.expected.files == 120)
    #expect(abs(next.most.jobSeconds / next.expected.jobSeconds - 4) < 1e-6)
    #expect(!next.dependsOnOrigins)
    // New images need files of that format, too.
    let (all, some) = (next.expected.jobSeconds, lines.count)
    next = try await ForecastTests.forecast(run, lines + ForecastTests.lines(60..<80))
    let share = next.expected.jobSeconds / all * Double(some) / 80
    #expect((0.8..<1.25).contains(share), "\(share)")
  }
}
