internal import TesseraPlan
internal import TesseraWire

/// What a pool has to know of a job.
protocol WorkerJob: Sendable {
  var identifier: Int { get }
  /// The request for a worker.
  var line: [UInt8] { get }
  /// How many files a worker makes of it.
  var fileCount: Int { get }
  /// In pixels to encode as WebP.
  var work: Double { get }
}

extension TranscodeJob: WorkerJob {
  var fileCount: Int { files.count }
}

extension TableJob: WorkerJob {
  var fileCount: Int { 1 }

  var work: Double {
    let atlas = atlas.map { Double($0.size.width) * Double($0.size.height) } ?? 0
    return entries.reduce(atlas) {
      $0 + Double($1.size.width) * Double($1.size.height) / 10
    }
  }
}

extension ComparisonJob: WorkerJob {
  var fileCount: Int { 0 }
  var work: Double { Double(size.width) * Double(size.height) }
}
