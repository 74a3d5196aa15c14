internal import Synchronization
package import TesseraFetch
internal import TesseraFiles
package import TesseraImageHeader
internal import TesseraManifest

/// Learns the sizes of pictures, from the first bytes of URLs and files.
package struct Prober: Sendable {
  /// The answer for one source.
  package struct Answer: Sendable {
    package var source: String
    package var result: Result<ImageHeader, Failure>
    /// Bytes that were read for it, and HTTP requests that were made.
    package var bytesRead: Int
    package var requests: Int
  }

  /// Why a size could not be learned.
  package struct Failure: Error, Sendable {
    package var code: String
    /// A sentence.
    package var message: String
    package var isRetryable: Bool
  }

  private let fetcher: Fetcher
  private let headers: [(name: String, value: String)]
  private let deadline: Duration
  private let concurrency: Int

  package init(
    fetcher: Fetcher, headers: [(name: String, value: String)] = [], deadline: Duration,
    concurrency: Int
  ) {
    self.fetcher = fetcher
    self.headers = headers
    self.deadline = deadline
    self.concurrency = concurrency
  }

  /// Probes many sources at once and hands out the answers in the order asked.
  package func probe(
    _ sources: some Sequence<String>, _ answer: (Answer) -> Void
  ) async {
    await withTaskGroup(of: (Int, Answer).self) { group in
      var waiting: [Int: Answer] = [:]
      var next = 0
      func take(_ result: (Int, Answer)) {
        waiting[result.0] = result.1
        while let ready = waiting.removeValue(forKey: next) {
          answer(ready)
          next += 1
        }
      }
      for (index, source) in sources.enumerated() {
        // Answers that wait for an earlier one count too, so what is held is bounded.
        while index - next >= concurrency, let result = await group.next() { take(result) }
        group.addTask { (index, await probe(source)) }
      }
      for await result in group { take(result) }
    }
  }

  /// Probes one URL, or one file.
  package func probe(_ source: String) async -> Answer {
    switch SourceURL.scheme(of: source) {
    case "http", "https": await probeURL(source)
    case .some(let scheme) where source.dropFirst(scheme.count).hasPrefix("://"):
      Answer(
        source: source,
        result: .failure(
          Failure(
            code: "bad-url", message: "URLs begin with http:// or https://, not \(scheme)://.",
            isRetryable: false)), bytesRead: 0, requests: 0)
    default: probeFile(source)
    }
  }

  private func probeURL(_ url: String) async -> Answer {
    let receiver = ProbeReceiver()
    let answer = await fetcher.fetch(
      FetchRequest(url: url, headers: headers, deadline: deadline), host: SourceURL.host(of: url),
      into: receiver)
    let shown = SourceURL.withoutUserInfo(url)
    switch answer.result {
    case .failure(let error):
      return Answer(
        source: shown,
        result: .failure(
          Failure(
            code: error.code.rawValue, message: error.message.asSentence,
            isRetryable: error.isRetryable)), bytesRead: receiver.bytesRead,
        requests: answer.requests)
    case .success:
      return Answer(
        source: shown, result: Self.result(receiver.finish()), bytesRead: receiver.bytesRead,
        requests: answer.requests)
    }
  }

  /// So much is read at a time: what a disk gives at once.
  private static let fileWindow = 4096
  /// A file that still asks after so many reads is made to be asked.
  private static let mostReads = 1000

  private func probeFile(_ path: String) -> Answer {
    var count = 0
    do throws(SystemError) {
      if FileSystem.isDirectory(path) { throw SystemError("read", path, code: 21) }  // EISDIR
      let file = try File(path, .read)
      let reading = file.isRegular ? try jump(in: file, &count) : try readOn(file, &count)
      return Answer(source: path, result: Self.result(reading), bytesRead: count, requests: 0)
    } catch {
      return Answer(
        source: path,
        result: .failure(
          Failure(
            code: error.isMissingFile ? "not-found" : "local",
            message: error.description.asSentence, isRetryable: false)),
        bytesRead: count, requests: 0)
    }
  }

  /// Reads a file where its header says.
  private func jump(
    in file: borrowing File, _ count: inout Int
  ) throws(SystemError) -> HeaderReading {
    var reader = HeaderReader(fileSize: try file.size())
    var wanted = 0..<Self.fileWindow
    for _ in 0..<Self.mostReads {
      let bytes = try file.read(max(wanted.count, Self.fileWindow), at: wanted.lowerBound)
      count += bytes.count
      reader.add(bytes, at: wanted.lowerBound)
      guard case .needs(let next) = reader.reading else { break }
      wanted = next
    }
    return reader.reading
  }

  /// Reads what can only be read on, such as a pipe.
  private func readOn(
    _ file: borrowing File, _ count: inout Int
  ) throws(SystemError) -> HeaderReading {
    var scout = HeaderScout(seeksOrientation: true)
    while scout.isSearching {
      var bytes: [UInt8] = []
      guard try file.read(Self.fileWindow, into: &bytes) > 0 else { break }
      count += bytes.count
      scout.add(bytes.span.bytes)
    }
    return scout.finish()
  }

  private static func result(_ reading: HeaderReading) -> Result<ImageHeader, Failure> {
    switch reading {
    case .header(let header): .success(header)
    case .refused(let refusal):
      .failure(
        Failure(
          code: refusal.kind.rawValue, message: "The file is \(refusal.reason).",
          isRetryable: false))
    case .needs:
      .failure(
        Failure(
          code: "malformed", message: "The file does not tell its size in its first 16 MiB.",
          isRetryable: false))
    }
  }
}

/// Reads until the header is known, and no further.
private final class ProbeReceiver: BodyReceiving {
  private let state = Mutex((scout: HeaderScout(seeksOrientation: true), bytesRead: 0))

  var bytesRead: Int { state.withLock { $0.bytesRead } }

  func receive(_ bytes: RawSpan) -> BodyVerdict {
    state.withLock { state in
      state.bytesRead += bytes.byteCount
      state.scout.add(bytes)
      return state.scout.isSearching ? .more : .enough
    }
  }

  func finish() -> HeaderReading { state.withLock { $0.scout.finish() } }
}
