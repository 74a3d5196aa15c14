internal import TesseraSystem

/// What a worker gets for one job: its source, and room for the files to make. A worker opens nothing itself.
struct JobFiles: ~Copyable {
  /// The most bytes of a source that is sent with its job, and the most pixels of files that come with the reply. That is
  /// cheaper than a file in memory, as long as both fit into the buffers of a socket.
  static let mostBytes = 65_536

  private let file: File?
  /// Nil if all bytes go over the channel.
  private let memory: SharedMemory?
  /// The bytes that follow the job's line.
  let sent: [UInt8]

  init(_ source: JobSource, isSmall: Bool = false) throws(SystemError) {
    let bytes = source.bytes.inMemory
    let opened = try source.bytes.opened()
    let isSent = isSmall && (1...Self.mostBytes).contains(bytes.count)
    // Otherwise the source's bytes come before the files, unless it has a file of its own.
    memory = isSent ? nil : try SharedMemory(bytes)
    sent = isSent ? bytes : []
    file = opened
  }

  /// What a worker receives with the job: the source, and the memory for its files, which may be one.
  var descriptors: [Int32] {
    guard let memory else { return [] }
    let source =
      switch file {
      case .some(let file): file.descriptor
      case .none: memory.descriptor
      }
    return [source, memory.descriptor]
  }

  /// Ends every change of what was made.
  ///
  /// - Parameters:
  ///   - received: the bytes that came with the reply.
  ///   - lengths: of the files, as the worker reported them.
  /// - Returns: nil if the files are not what was reported.
  func made(_ received: [UInt8], _ lengths: [Int]) -> MadeBytes? {
    let total = lengths.reduce(0, +)
    guard let memory else { return received.count == total ? .received(received) : nil }
    // A worker that still has them mapped for writing cannot be held to them.
    guard received.isEmpty, let size = try? memory.seal(), size == total else { return nil }
    return .shared(memory)
  }
}

/// What a worker has made, which it cannot change any more.
enum MadeBytes: Sendable {
  case shared(SharedMemory)
  case received([UInt8])

  func read(_ count: Int, at offset: Int) throws(SystemError) -> [UInt8] {
    switch self {
    case .shared(let memory): try memory.read(count, at: offset)
    case .received(let bytes): Array(bytes[offset..<offset + count])
    }
  }
}

/// A worker's reply, and what it made; nil without a worker, and if nothing was made.
struct JobOutcome: Sendable {
  let reply: WorkerReply
  let made: MadeBytes?

  static var stopped: JobOutcome { JobOutcome(reply: .failed(.stopped), made: nil) }
}

extension WorkerReply {
  /// Why there is no result. A reply of another kind than the request's is not an answer to it.
  var failure: TranscodeFailure {
    if case .failed(let failure) = self { failure } else { .invalidReply }
  }
}
