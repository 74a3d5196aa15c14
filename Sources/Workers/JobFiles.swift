internal import TesseraSystem
internal import TesseraWire

/// The descriptors of one job: its source and memory for the files to make, which may be one. A worker opens nothing
/// itself.
struct JobFiles: ~Copyable {
  /// Nil if the source's bytes are in the memory, before the files.
  private let file: File?
  let memory: SharedMemory

  init(_ source: JobSource) throws(SystemError) {
    let opened = try source.bytes.opened()
    memory = try SharedMemory(source.bytes.inMemory)
    file = opened
  }

  /// What a worker receives with the job, in this order.
  var descriptors: [Int32] {
    let source =
      switch file {
      case .some(let file): file.descriptor
      case .none: memory.descriptor
      }
    return [source, memory.descriptor]
  }

  /// Ends every change of the files. False if they are not what the worker reported.
  func seal(_ lengths: [Int]) -> Bool {
    // A worker that still has them mapped for writing cannot be held to them.
    guard let size = try? memory.seal() else { return false }
    return size == lengths.reduce(0, +)
  }
}

/// A worker's reply, and the memory with what it made; nil without a worker.
struct JobOutcome: Sendable {
  let reply: WorkerReply
  let memory: SharedMemory?

  static var stopped: JobOutcome { JobOutcome(reply: .failed(.stopped), memory: nil) }
}

extension WorkerReply {
  /// Whether the worker did not do what was requested.
  var isWithoutResult: Bool {
    switch self {
    case .differs, .failed: true
    case .files, .table, .comparison, .examination: false
    }
  }

  /// Why there is no result. A reply of another kind than the request's is no answer to it.
  var failure: TranscodeFailure {
    if case .failed(let failure) = self { failure } else { .invalidReply }
  }
}
