internal import TesseraPlan

/// What a pool has to know of a job.
protocol WorkerJob: Sendable {
  var request: WorkerRequest { get }
  /// The lengths of what a reply says was made; nil for a reply to another kind of request.
  func lengths(in reply: WorkerReply) -> [Int]?
  /// In pixels to encode as WebP.
  var work: Double { get }
  /// Whether what is made is so small that it can come with the reply.
  var isSmall: Bool { get }
}

extension TranscodeJob: WorkerJob {
  var request: WorkerRequest { .transcode(self) }

  func lengths(in reply: WorkerReply) -> [Int]? {
    guard case .files(let result) = reply, result.lengths.count == files.count else { return nil }
    return result.lengths
  }
}

extension TableJob: WorkerJob {
  var request: WorkerRequest { .table(self) }

  func lengths(in reply: WorkerReply) -> [Int]? {
    if case .table(let result) = reply { [result.length] } else { nil }
  }

  var work: Double {
    let atlas = atlas.map { Double($0.size.width) * Double($0.size.height) } ?? 0
    return entries.reduce(atlas) {
      $0 + Double($1.size.width) * Double($1.size.height) / 10
    }
  }
}

extension ComparisonJob: WorkerJob {
  var request: WorkerRequest { .compare(self) }

  func lengths(in reply: WorkerReply) -> [Int]? {
    if case .comparison = reply { [] } else { nil }
  }

  var work: Double { Double(size.width) * Double(size.height) }
}

extension WorkerJob {
  var isSmall: Bool { false }
}
