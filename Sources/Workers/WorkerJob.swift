internal import TesseraPlan
internal import TesseraSystem

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

/// Where a job's bytes come from.
package struct JobSource: Sendable {
  /// The bytes of a spooled source.
  package enum Bytes: Sendable {
    case file(path: String)
    case memory([UInt8])
  }

  package var bytes: Bytes
  /// The host that sent it. A worker only has images of one host: whatever a hostile image does to
  /// its worker, it cannot do to another host's images.
  package var host: String

  package init(_ bytes: Bytes, host: String) {
    self.bytes = bytes
    self.host = host
  }
}

extension JobSource.Bytes {
  func opened() throws(SystemError) -> File? {
    if case .file(let path) = self { try File(path, .read) } else { nil }
  }

  var inMemory: [UInt8] { if case .memory(let bytes) = self { bytes } else { [] } }
}
