internal import Synchronization
package import TesseraImageHeader
internal import TesseraManifest
package import TesseraSystem
internal import TesseraText

/// Determines the sizes of images from the first bytes of URLs, as manifests have them, and of files.
package struct Prober: Sendable {
  package typealias Answer = ProbeAnswer
  package typealias Failure = ProbeFailure

  private let fetch: HeaderFetch
  private let concurrency: Int

  /// - Parameters:
  ///   - policy: its deadline is that of one URL with all its requests, retries and pauses.
  ///   - maximumBytes: at most this many bytes of one source are read.
  ///   - concurrency: at most this many sources are probed at a time.
  package init(
    fetcher: any Fetching, _ policy: RetryPolicy, maximumBytes: Int, concurrency: Int
  ) {
    fetch = HeaderFetch(
      fetcher: fetcher, policy: policy, maximumBytes: maximumBytes, didRetry: {})
    self.concurrency = concurrency
  }

  /// At most this many answers wait for an earlier one, so that memory is bounded.
  private static let mostWaiting = 1000

  /// Probes a list of sources, and reports the answers in the order of the list, each as soon as it
  /// and all earlier ones are complete.
  ///
  /// - Parameters:
  ///   - next: returns the next source, or nil at the end; may wait. A failure takes the place of
  ///     an entry that is not a source.
  ///   - answer: called from any task, for one answer at a time.
  /// - Throws: what `next` throws, or `CancellationError`.
  package func probe(
    _ next: () async throws -> Result<String, Failure>?,
    answer: @escaping @Sendable (Answer) -> Void
  ) async throws {
    let queue = AnswerQueue(answer)
    try await withThrowingTaskGroup(of: Void.self) { group in
      var index = 0
      var inFlight = 0
      while let source = try await next() {
        // The queue is full if one slow source holds back the answers of those behind it.
        while inFlight >= concurrency || queue.isFull(before: index, limit: Self.mostWaiting) {
          try await group.next()
          inFlight -= 1
        }
        let place = index
        index += 1
        inFlight += 1
        group.addTask {
          switch source {
          case .success(let source): queue.put(try await probe(source), at: place)
          case .failure(let failure):
            queue.put(Answer(source: "", result: .failure(failure)), at: place)
          }
        }
      }
      try await group.waitForAll()
    }
  }

  /// Probes one URL, or one file.
  ///
  /// - Throws: `CancellationError`.
  package func probe(_ source: String) async throws -> Answer {
    let url = SourceURL.encoded(source)
    return switch SourceURL.scheme(of: url) {
    case .some where SourceURL.isSource(url): try await probeURL(url)
    case "http", "https":
      Answer(source: SourceURL.withoutUserInfo(url), result: .failure(.badURL))
    case .some(let scheme) where url.dropFirst(scheme.count).hasPrefix("://"):
      Answer(
        source: url,
        result: .failure(
          Failure(
            code: "bad-url",
            message: "The URL must begin with http:// or https://, not \(scheme)://.")))
    // All else is a path: a file's name may contain a colon, too.
    default:
      await FileProbe(deadline: fetch.policy.deadline, maximumBytes: fetch.maximumBytes)
        .probe(source)
    }
  }

  private func probeURL(_ url: String) async throws -> Answer {
    let fetched = try await fetch.fetch(url)
    let result: Result<ImageHeader, Failure> =
      switch fetched.outcome {
      case .told(let reading, _, _): Answer.result(reading)
      case .failed(let error):
        .failure(
          Failure(
            code: error.code.rawValue, message: error.message.asSentence,
            isRetryable: error.isRetryable))
      case .notModified:
        .failure(
          Failure(
            code: "bad-response", message: "The server answered 304 to an unconditional request."))
      }
    return Answer(
      source: SourceURL.withoutUserInfo(url), result: result, bytesRead: fetched.bytes,
      requests: fetched.requests)
  }
}

/// Reports answers in the order of their sources, although they finish in any order.
final class AnswerQueue: Sendable {
  private let answer: @Sendable (ProbeAnswer) -> Void
  private let state = Mutex((next: 0, waiting: [Int: ProbeAnswer]()))

  /// - Parameter answer: called for one answer at a time.
  init(_ answer: @escaping @Sendable (ProbeAnswer) -> Void) { self.answer = answer }

  /// Whether at least `limit` sources before `index` have not been reported.
  func isFull(before index: Int, limit: Int) -> Bool {
    state.withLock { index - $0.next >= limit }
  }

  func put(_ new: ProbeAnswer, at index: Int) {
    state.withLock { state in
      state.waiting[index] = new
      // Under the lock: otherwise two tasks could report at the same time, or in the wrong order.
      while let ready = state.waiting.removeValue(forKey: state.next) {
        answer(ready)
        state.next += 1
      }
    }
  }
}

/// Reads an image's size from a local file.
struct FileProbe {
  /// How long to wait for a pipe or another file without a length.
  let deadline: Duration
  /// At most this many bytes of one file are read.
  let maximumBytes: Int

  func probe(_ path: String) async -> ProbeAnswer {
    var count = 0
    do throws(SystemError) {
      // open(2) accepts a directory, which would then be read like a pipe.
      if FileSystem.isDirectory(path) { throw SystemError("read", path, code: 21) }  // EISDIR
      let file = try File(path, .readWithoutWaiting)
      let result =
        file.isRegular
        ? try readParts(of: file, &count)
        : try await readStream(file, &count)
      return ProbeAnswer(source: path, result: result, bytesRead: count)
    } catch {
      let failure = ProbeFailure(
        code: error.isMissingFile ? "not-found" : "not-readable",
        message: error.description.asSentence)
      return ProbeAnswer(source: path, result: .failure(failure), bytesRead: count)
    }
  }

  /// Reads the parts of a regular file that the header reader requests.
  private func readParts(
    of file: borrowing File, _ count: inout Int
  ) throws(SystemError) -> Result<ImageHeader, ProbeFailure> {
    var reader = HeaderReader(fileSize: try file.size())
    var ahead = ReadAhead.disk
    while case .needs(let wanted) = reader.reading, let window = ahead.next(for: wanted) {
      guard count < maximumBytes else { return .failure(tooLarge) }
      let part = min(window.count, maximumBytes - count)
      let bytes = try file.read(part, at: window.lowerBound)
      count += bytes.count
      reader.add(bytes.span, at: window.lowerBound)
      // The file has become shorter since its size was read.
      if bytes.count < min(part, wanted.count) { reader.end(at: window.lowerBound + bytes.count) }
    }
    reader.settle()
    return ProbeAnswer.result(reader.reading)
  }

  private var tooLarge: ProbeFailure {
    ProbeFailure(
      code: "too-large", message: "The first \(maximumBytes) bytes do not state the image's size.")
  }

  /// Reads a pipe or another file without a length from its start, until the size is known.
  private func readStream(
    _ file: consuming File, _ count: inout Int
  ) async throws(SystemError) -> Result<ImageHeader, ProbeFailure> {
    let input = InputReader(file)
    let end = ContinuousClock.now + deadline
    let timer = Task {
      try await Task.sleep(until: end)
      input.stop()
    }
    defer { timer.cancel() }
    var reader = HeaderReader()
    while reader.isSearching, !reader.isOver(HeaderReader.reach) {
      guard count < maximumBytes else { return .failure(tooLarge) }
      guard let bytes = try await input.read(min(ReadAhead.disk.hop, maximumBytes - count)) else {
        return .failure(
          ProbeFailure(
            code: "timeout", message: "No data arrived for \(deadline).", isRetryable: true))
      }
      if bytes.isEmpty {
        reader.end()
        break
      }
      count += bytes.count
      reader.add(bytes.span)
    }
    return ProbeAnswer.result(reader.streamed())
  }
}

/// The answer for one probed source.
package struct ProbeAnswer: Sendable {
  /// The source as requested, without the user and password of a URL.
  package var source: String
  package var result: Result<ImageHeader, ProbeFailure>
  /// The bytes read and the HTTP requests sent.
  package var bytesRead = 0
  package var requests = 0

  static func result(_ reading: HeaderReading) -> Result<ImageHeader, ProbeFailure> {
    switch reading {
    case .header(let header): .success(header)
    case .rejected(let rejection):
      .failure(
        ProbeFailure(code: rejection.kind.rawValue, message: "The file is \(rejection.reason)."))
    case .needs:
      .failure(
        ProbeFailure(
          code: HeaderRejection.Kind.malformed.rawValue,
          message: "The file's header does not end within the bytes that may be read."))
    }
  }
}

/// Why a size could not be determined.
package struct ProbeFailure: Error, Sendable {
  /// One of the catalog's error codes.
  package var code: String
  /// A sentence with its capital and full stop.
  package var message: String
  package var isRetryable = false

  /// Of a URL without a host, or of what is not a URL at all.
  package static let badURL = ProbeFailure(
    code: "bad-url", message: "The URL must begin with http:// or https:// and a host.")

  package init(code: String, message: String, isRetryable: Bool = false) {
    self.code = code
    self.message = message
    self.isRetryable = isRetryable
  }
}

/// URLs and files to probe, one per line, of a file or of standard input. Empty lines are ignored, and so are
/// blanks around a line. The text is UTF-8, with or without a byte order mark.
///
/// It is read as a stream, so a list may be endless.
package final class SourceList {
  private static let chunk = 64 * 1024

  private let input: InputReader
  private var splitter = RecordSplitter()
  private var bytes: ArraySlice<UInt8> = []
  private var isAtEnd = false

  package init(_ file: consuming File) { input = InputReader(file) }

  /// The next source; nil at the end. A failure takes the place of a line that is not a source.
  package func next() async throws(SystemError) -> Result<String, ProbeFailure>? {
    while true {
      if let record = isAtEnd ? splitter.finish() : splitter.next(in: &bytes) {
        let line = record.lines.lowerBound
        guard let bytes = record.bytes else {
          return .unusable(line, "is longer than \(RecordSplitter.maximumLength) bytes")
        }
        let text = Self.trimmed(bytes, isFirst: line == 1)
        if text.isEmpty { continue }
        if text.contains(0) { return .unusable(line, "contains a NUL character") }
        return .success(String(decoding: text, as: UTF8.self))
      }
      if isAtEnd { return nil }
      bytes = try await input.read(Self.chunk)?[...] ?? []
      isAtEnd = bytes.isEmpty
    }
  }

  private static func trimmed(_ line: [UInt8], isFirst: Bool) -> ArraySlice<UInt8> {
    let isBlank = { (byte: UInt8) in byte == 0x20 || byte == 0x09 }
    var text = line[...]
    if isFirst, text.starts(with: [0xEF, 0xBB, 0xBF]) { text = text.dropFirst(3) }
    text = text.drop(while: isBlank)
    while let last = text.last, isBlank(last) { text.removeLast() }
    return text
  }

  /// Returns a function that ends the list for a caller that waits in ``next()``. The function may
  /// be called from any thread.
  package func stopper() -> @Sendable () -> Void {
    let input = input
    return { input.stop() }
  }
}

extension Result<String, ProbeFailure> {
  fileprivate static func unusable(_ line: Int, _ reason: String) -> Self {
    .failure(
      ProbeFailure(code: "bad-url", message: "Line \(line) of the list \(reason)."))
  }
}
