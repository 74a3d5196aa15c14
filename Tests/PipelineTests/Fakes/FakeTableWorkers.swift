import Synchronization
import TesseraPlan
import TesseraSystem
import TesseraWorkers

/// Workers of tables without processes. A file "decodes" to its bytes, repeated; one that begins
/// with "bad" crashes them.
final class FakeTableWorkers: Transcoding {
  private struct State {
    var jobs: [TableJob] = []
    var failure: TranscodeFailure?
    var atlas: [UInt8] = []
    var atlasFailure: TranscodeFailure?
    /// Bytes that results have more than they should.
    var excess = 0
  }

  private let state = Mutex(State())

  let capabilities = WorkerCapabilities(
    libvips: "8.14.1", confinement: Confinement(landlock: 0, hasSeccomp: false))

  /// The jobs since the last call, the largest first.
  func takeJobs() -> [TableJob] {
    state.withLock { state in
      defer { state.jobs = [] }
      return state.jobs.sorted { $0.entries.count > $1.entries.count }
    }
  }

  /// The failure of every job.
  func fail(_ failure: TranscodeFailure?) { state.withLock { $0.failure = failure } }
  /// The bytes of atlases.
  func makeAtlas(_ bytes: [UInt8]) { state.withLock { $0.atlas = bytes } }
  /// The failure of every atlas, whatever its images are.
  func failAtlas(_ failure: TranscodeFailure?) { state.withLock { $0.atlasFailure = failure } }
  func makeMore(_ excess: Int) { state.withLock { $0.excess = excess } }

  func perform(
    _ job: TableJob, of source: JobSource
  ) async throws(TesseraError) -> TableAnswer {
    let state = state.withLock { state in
      state.jobs.append(job)
      return state
    }
    if let failure = state.failure ?? (job.atlas == nil ? nil : state.atlasFailure) {
      return .failed(failure)
    }
    guard case .memory(let memory) = source.bytes else {
      return .failed(TranscodeFailure(.local, "the source is not in memory"))
    }
    var result: [UInt8] = []
    var leftOut: [Int] = []
    for (place, entry) in job.entries.enumerated() {
      let bytes = memory.dropFirst(entry.offset).prefix(entry.length)
      // A crash takes the whole job with it; what is merely no image is left out.
      if bytes.starts(with: Array("bad".utf8)) {
        return .failed(TranscodeFailure(.workerCrashed, "the worker crashed"))
      }
      if bytes.isEmpty { leftOut.append(place) }
      result += (0..<job.entryBytes).map {
        bytes.isEmpty ? 0 : bytes[bytes.startIndex + $0 % bytes.count]
      }
    }
    if job.atlas != nil { return .made(leftOut.isEmpty ? state.atlas : [], leftOut: leftOut) }
    return .made(result + [UInt8](repeating: 0, count: state.excess), leftOut: leftOut)
  }

  func perform(
    _ job: TranscodeJob, of source: JobSource, watch: JobWatch?
  ) async throws(TesseraError) -> TranscodeAnswer {
    .failed(TranscodeFailure(.local, "these workers make tables only"))
  }

  func expectLastJobs() {}
  var statistics: WorkerStatistics { WorkerStatistics() }
  func drain() {}
  func close() {}
}
