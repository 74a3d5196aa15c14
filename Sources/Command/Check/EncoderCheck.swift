internal import TesseraPipeline
internal import TesseraPipelineFile
internal import TesseraSystem
internal import TesseraWorkers

/// Whether this machine can write the formats that a pipeline names.
enum EncoderCheck {
  /// - Parameter workerPath: the path of `tessera-worker`, which is started only for formats that a machine may lack.
  /// - Throws: ``TesseraError`` of the code `workers` if a format is missing, or if no worker can be started to find out.
  static func run(
    _ file: PipelineFile, workerPath: String
  ) async throws {
    guard file.needsEncoders else { return }
    let pool: WorkerPool
    pool = try await WorkerPool.start(
      WorkerSettings(
        executable: workerPath, count: 1, memory: 2_000_000_000, time: .seconds(60)))
    defer { pool.close() }
    if let shortfall = file.shortfall(lacking: pool.capabilities.lacks) {
      throw TesseraError(.workers, shortfall)
    }
  }
}
