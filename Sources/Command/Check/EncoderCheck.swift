internal import TesseraPipeline
internal import TesseraPipelineFile
internal import TesseraWorkers

/// Whether this machine can write the formats that a pipeline names.
enum EncoderCheck {
  /// - Parameter workerPath: the path of `tessera-worker`, which is started only for formats that a machine may lack.
  /// - Throws: ``PipelineError/workers(_:)`` if a format is missing, or if no worker can be started to find out.
  static func run(
    _ file: PipelineFile, workerPath: String
  ) async throws(PipelineError) {
    guard file.needsEncoders else { return }
    let pool: WorkerPool
    do throws(WorkerStartError) {
      pool = try await WorkerPool.start(
        WorkerSettings(
          executable: workerPath, count: 1, memory: 2_000_000_000, time: .seconds(60)))
    } catch {
      throw .workers(error.description)
    }
    defer { pool.close() }
    if let shortfall = file.shortfall(lacking: pool.hello.lacks) { throw .workers(shortfall) }
  }
}
