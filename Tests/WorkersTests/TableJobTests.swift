import Foundation
import TesseraCatalog
import TesseraPlan
import TesseraSystem
import TesseraTestSupport
import TesseraWorkers
import Testing

/// Jobs for parts of tables: whatever the files are, the worker answers.
@Suite struct TableJobTests {
  private static func job(
    _ entries: [TableJob.Entry], _ pixels: TablePixels = .rgba8, atlas: Size? = nil
  ) -> TableJob {
    TableJob(
      pixels: pixels, rowBytes: 4 * 704, entryBytes: 4 * 704 * 544,
      background: .white,
      atlas: atlas.map { TableJob.Atlas(size: $0, quality: 80, effort: 2) },
      maximumPixels: 100_000_000, entries: entries)
  }

  private static func source(_ bytes: [UInt8]) -> JobSource {
    JobSource(.memory(bytes), host: "")
  }

  /// Damaged, cut off, foreign and wrong files, and places outside of the source, between good ones: they are
  /// left out, their entries have zeros, and the worker lives.
  @Test(.faults(.c19), arguments: [TablePixels.rgba8, .webp])
  func whatCannotBeDecodedIsLeftOut(_ pixels: TablePixels) async throws {
    let pool = try await WorkerPool.start(settings(Places.worker))
    defer { pool.close() }
    let good = try Places.bytes("lossy.webp")
    let image = try Pixels(Places.fixture("lossy.webp").path)
    let size = Size(image.width, image.height)
    try #require(size.width <= 704 && size.height <= 544)
    var random = SplitMix(seed: 11)
    var (bytes, entries): ([UInt8], [TableJob.Entry]) = ([], [])
    func add(_ file: [UInt8], _ format: String = "webp", _ stated: Size? = nil) {
      entries.append(
        .init(offset: bytes.count, length: file.count, format: format, size: stated ?? size))
      bytes += file
    }
    add(good)
    add((0..<5_000).map { _ in UInt8.random(in: 0...255, using: &random) })
    add(Array(good.prefix(good.count / 2)))
    add(Array(good.prefix(20)))
    add(good, "png")
    add(good, "nothing")
    add(good, "webp", Size(size.width - 1, size.height))
    add(good, "webp", Size(60_000, 60_000))
    add(try Places.bytes("truncated.jpg"), "jpeg")
    entries.append(.init(offset: -1, length: 10, format: "webp", size: size))
    entries.append(.init(offset: 0, length: Int.max, format: "webp", size: size))
    entries.append(.init(offset: Int.max, length: 1, format: "webp", size: size))
    entries.append(.init(offset: 0, length: 0, format: "webp", size: size))
    add(good)
    let job = Self.job(entries, pixels, atlas: pixels == .webp ? Size(704, 544) : nil)
    guard case .made(let made, let leftOut) = try await pool.perform(job, of: Self.source(bytes))
    else {
      Issue.record("the job failed")
      return
    }
    #expect(leftOut == Array(1..<13))
    if pixels == .webp {
      // An atlas is only encoded once all of its images are there.
      #expect(made.isEmpty)
    } else {
      #expect(made.count == 14 * job.entryBytes)
      #expect(made[job.entryBytes..<13 * job.entryBytes].allSatisfy { $0 == 0 })
      let last = made[(13 * job.entryBytes)...]
      #expect(last.elementsEqual(made.prefix(job.entryBytes)) && !last.allSatisfy { $0 == 0 })
    }
    #expect(pool.statistics.replaced == 0)
  }

  /// Any bytes in place of a file: 100 mutations of a WebP file in one job.
  @Test(.faults(.c19)) func mutationsNeverEndTheWorker() async throws {
    let pool = try await WorkerPool.start(settings(Places.worker))
    defer { pool.close() }
    let good = try Places.bytes("lossy.webp")
    let image = try Pixels(Places.fixture("lossy.webp").path)
    var random = SplitMix(seed: 12)
    var (bytes, entries): ([UInt8], [TableJob.Entry]) = ([], [])
    for _ in 0..<100 {
      var file = good
      for _ in 0..<8 {
        let place = Int.random(in: 0..<file.count, using: &random)
        file[place] = .random(in: 0...255, using: &random)
      }
      entries.append(
        .init(
          offset: bytes.count, length: file.count, format: "webp",
          size: Size(image.width, image.height)))
      bytes += file
    }
    let answer = try await pool.perform(Self.job(entries), of: Self.source(bytes))
    guard case .made(_, let leftOut) = answer else {
      Issue.record("the job failed: \(answer)")
      return
    }
    #expect(leftOut.count < 100 && pool.statistics.replaced == 0)
  }
}
