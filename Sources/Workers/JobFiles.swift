internal import TesseraSystem
internal import TesseraWire

/// The descriptors of one job: its source, open for reading, and memory for the files to make. A
/// worker opens nothing itself.
struct JobFiles: ~Copyable {
  private let source: Source
  let memory: SharedMemory

  private enum Source: ~Copyable {
    case file(File)
    case memory(SharedMemory)

    init(_ bytes: JobSource.Bytes) throws(SystemError) {
      switch bytes {
      case .file(let path): self = .file(try File(path, .read))
      case .memory(let memory): self = .memory(memory)
      }
    }

    var descriptor: Int32 {
      switch self {
      case .file(let file): file.descriptor
      case .memory(let memory): memory.descriptor
      }
    }
  }

  init(_ source: JobSource) throws(SystemError) {
    let opened = try Source(source.bytes)
    memory = try SharedMemory()
    self.source = opened
  }

  /// What a worker receives with the job, in this order.
  var descriptors: [Int32] { [source.descriptor, memory.descriptor] }

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
