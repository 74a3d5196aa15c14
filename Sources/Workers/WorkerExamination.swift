package import TesseraSystem

/// What a worker reports about itself and its libraries.
package struct WorkerExamination: Sendable {
  package var capabilities: WorkerCapabilities
  package var checks: [ExaminationCheck]

  /// Starts a worker, has it test its libraries, and ends it.
  package static func perform(
    _ settings: WorkerSettings
  ) async throws(TesseraError) -> WorkerExamination {
    let result: Result<WorkerExamination, TesseraError> = await withCheckedContinuation {
      continuation in
      // The thread that started a fork server must outlive it; see WorkerPool.start.
      WorkerPool.startThread {
        continuation.resume(returning: .failure($0))
      } body: {
        do throws(TesseraError) {
          continuation.resume(returning: .success(try examine(settings)))
        } catch {
          continuation.resume(returning: .failure(error))
        }
      }
    }
    return try result.get()
  }

  private static func examine(
    _ settings: WorkerSettings
  ) throws(TesseraError) -> WorkerExamination {
    let server = try ForkServer(settings)
    let end = ContinuousClock.now.advanced(by: settings.time)
    guard let process = try server.fork() else {
      throw TesseraError(.workers, "\"\(settings.executable)\" starts, but starts no worker")
    }
    guard let checks = process.examine(until: end) else {
      throw TesseraError(
        .workers,
        "\"\(settings.executable)\" could not test its libraries: \(process.end().sentence)")
    }
    process.finish()
    return WorkerExamination(capabilities: server.capabilities, checks: checks)
  }
}
