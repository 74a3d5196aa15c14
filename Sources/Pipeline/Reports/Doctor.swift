internal import TesseraSystem
package import TesseraWire
internal import TesseraWorkers

/// What this machine can do for a run.
package struct Doctor: Sendable {
  package var libvips: String
  package var confinement: Confinement
  /// Everything that was tried.
  package var checks: [ExaminationCheck]
  /// The processors that a run uses.
  package var processors: Int

  /// - Parameter workerPath: the path of `tessera-worker`.
  package static func examine(workerPath: String) async throws(PipelineError) -> Doctor {
    let folder = try PipelineError.wrap { try FileSystem.makeTemporaryDirectory() }
    defer { try? FileSystem.removeDirectory(folder) }
    let settings = WorkerSettings(
      executable: workerPath, count: 1, memory: 2_000_000_000, time: .seconds(60), sources: folder,
      results: folder)
    do throws(WorkerStartError) {
      let found = try await WorkerExamination.perform(settings)
      return Doctor(
        libvips: found.hello.libvips, confinement: found.hello.confinement, checks: found.checks,
        processors: Host.processors)
    } catch {
      throw .workers(error.description)
    }
  }

  package var isWell: Bool { checks.allSatisfy { $0.problem == nil } }
}
