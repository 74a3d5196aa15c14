internal import TesseraFiles
internal import TesseraManifest

/// URLs and files to probe, a line each, from standard input. Blank lines are passed over.
///
/// Streams: a list may be endless.
package final class SourceList {
  private static let chunk = 64 * 1024

  private let input: InputReader
  private var splitter = RecordSplitter()
  private var bytes: ArraySlice<UInt8> = []
  private var isAtEnd = false

  package init() throws(PipelineError) {
    do throws(SystemError) {
      input = InputReader(try File.standardInput())
    } catch {
      throw .local(error.description)
    }
  }

  /// The next source, or nil at the end.
  package func next() async throws(PipelineError) -> Result<String, Prober.Failure>? {
    while true {
      if let record = isAtEnd ? splitter.finish() : splitter.next(in: &bytes) {
        switch record {
        case .tooLong(let line):
          let message =
            "Line \(line) of the list is longer than \(RecordSplitter.maximumLength) bytes."
          return .failure(Prober.Failure(code: "bad-url", message: message))
        case .bytes(let text, _) where text.isEmpty: continue
        case .bytes(let text, _): return .success(String(decoding: text, as: UTF8.self))
        }
      }
      if isAtEnd { return nil }
      do throws(SystemError) {
        bytes = try await input.read(Self.chunk)[...]
      } catch {
        throw .local(error.description)
      }
      isAtEnd = bytes.isEmpty
    }
  }

  /// Ends the list for who waits for it. May be called from any thread.
  package func stopper() -> @Sendable () -> Void {
    let input = input
    return { input.stop() }
  }
}
