import Foundation
import TesseraPlan
import TesseraTestSupport
import TesseraWorkers
import Testing

/// The real worker with a decoder that an image has taken over.
@Suite struct HostileDecoderTests {
  /// With a profile, so that libvips opens it.
  private static let photograph = job(
    format: "jpeg", size: Size(240, 160), files: [file(120, 80)])

  private static func perform(
    _ pool: WorkerPool, host: String = "example.com"
  ) async throws -> TranscodeAnswer {
    try await pool.perform(photograph, of: fixture("display-p3.jpg", host: host))
  }

  /// W7: a leak costs time and no image: only a fresh worker is believed that memory ran out.
  @Test(.faults(.w7)) func aLeakCostsNoImage() async throws {
    let shim = try await WorkerShim(does: ["leak"])
    var settings = settings(shim.worker)
    settings.memory = 600_000_000
    let pool = try await WorkerPool.start(settings)
    defer { pool.close() }
    for _ in 0..<20 {
      // Large enough that freed memory does not suffice for it.
      let answer = try await pool.perform(
        job(format: "jpeg", size: Size(600, 800), files: [file(600, 800)]),
        of: fixture("rotated-phone-shot.jpg"))
      guard case .made = answer else {
        Issue.record("\(answer)")
        return
      }
    }
    // 100 MiB a job: no worker can do six.
    let workers = try shim.numbers("worker")
    #expect(Set(workers).count >= 4, "\(workers)")
  }

  /// A thread needs memory for its stack. Its lack says nothing about the image.
  @Test func aThreadThatCannotStartIsALackOfMemory() async throws {
    let shim = try await WorkerShim(does: ["crowd"])
    let pool = try await WorkerPool.start(settings(shim.worker))
    defer { pool.close() }
    var job = Self.photograph
    // A lane needs no thread.
    job.decode.lanes = .off
    let answer = try await pool.perform(job, of: fixture("display-p3.jpg"))
    #expect(answer.failure?.code == .outOfMemory)
  }

  /// W9: where no filter denies it, a decoder can start processes. They end with their worker, also
  /// if the fork server is slower than the decoder.
  @Test(.faults(.w9), arguments: ["crash", "retirement", "close"])
  func processesOfADecoderEndWithItsWorker(_ end: String) async throws {
    let shim = try await WorkerShim(
      lacks: ["seccomp"], does: ["fork", "late"] + (end == "crash" ? ["die"] : []))
    let pool = try await WorkerPool.start(settings(shim.worker))
    defer { pool.close() }
    let answer = try await Self.perform(pool)
    let children = try shim.numbers("child")
    #expect(children.count == 10)
    switch end {
    case "crash":
      #expect(answer.failure?.code == .workerCrashed)
    case "retirement":
      _ = try await pool.perform(
        job(format: "png", size: Size(1, 1)), of: fixture("display-p3.jpg", host: "other"))
    default: pool.close()
    }
    #expect(try await haveEnded(children + shim.numbers("worker")))
  }

  /// W9
  @Test(.faults(.w9)) func aDecoderStartsNoProcess() async throws {
    let shim = try await WorkerShim(does: ["fork"])
    let pool = try await WorkerPool.start(settings(shim.worker))
    defer { pool.close() }
    guard pool.capabilities.confinement.hasSeccomp else {
      print("not tested: this kernel lacks seccomp")
      return
    }
    guard case .made = try await Self.perform(pool) else {
      Issue.record("not made")
      return
    }
    #expect(try shim.log.dropFirst() == Array(repeating: "fork: EPERM", count: 10)[...])
  }

  /// W10: the filter of system calls denies every new file, and so does Landlock. Without either, each
  /// file is limited in size, not their number.
  @Test(
    .faults(.w10),
    arguments: [
      ([], "create: EPERM"), (["landlock"], "create: EPERM"), (["seccomp"], "create: EACCES"),
      (["landlock", "seccomp"], "wrote 8 MiB, a terabyte: EFBIG"),
    ])
  func aDecoderThatFillsFolders(_ lacks: [String], _ outcome: String) async throws {
    let folder = try TemporaryFolder()
    let folders = [FileManager.default.temporaryDirectory.path, folder.url.path]
    let shim = try await WorkerShim(lacks: lacks, does: ["fill"], filling: folders)
    let pool = try await WorkerPool.start(settings(shim.worker))
    defer { pool.close() }
    let confinement = pool.capabilities.confinement
    guard confinement.landlock > 0 || lacks.contains("landlock"),
      confinement.hasSeccomp || lacks.contains("seccomp")
    else {
      print("not tested: this kernel lacks Landlock or seccomp")
      return
    }
    guard case .made = try await Self.perform(pool) else {
      Issue.record("not made")
      return
    }
    #expect(try shim.log.dropFirst() == [outcome, outcome])
    let worker = try #require(try shim.numbers("worker").first)
    for folder in folders {
      try? FileManager.default.removeItem(atPath: "\(folder)/filled-\(worker)")
    }
  }
}
