internal import TesseraManifest
package import TesseraSystem

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
