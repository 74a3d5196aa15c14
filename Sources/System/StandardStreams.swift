internal import Glibc
internal import Synchronization
internal import TesseraCProcess

/// Writing to standard output and standard error, whole, without buffering in between.
package enum StandardStream: Sendable {
  case output
  case error

  /// To be called before anything is opened: who was started without a standard stream must not
  /// take a file or a socket of its own for it.
  package static func fillGaps() { tessera_fill_standard_streams() }

  private var descriptor: Int32 { self == .output ? STDOUT_FILENO : STDERR_FILENO }

  /// Why results could not be written: `errno` of the first write to standard output that failed,
  /// or 0.
  package static var outputFailure: Int32 { failure.withLock { $0 } }

  private static let failure = Mutex<Int32>(0)

  /// Writes all of `text`. Returns false where that failed.
  @discardableResult
  package func write(_ text: String) -> Bool { write(Array(text.utf8)) }

  @discardableResult
  package func write(_ bytes: [UInt8]) -> Bool {
    var rest = bytes[...]
    while !rest.isEmpty {
      let wrote = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if wrote < 0 {
        if errno == EINTR { continue }
        let code = errno
        if self == .output { Self.failure.withLock { if $0 == 0 { $0 = code } } }
        return false
      }
      rest = rest.dropFirst(wrote)
    }
    return true
  }
}

extension String {
  /// The text as it may stand in a log or on a terminal: control characters (escape sequences that
  /// a stranger put into a URL, say) are written as \u{…}.
  package var printable: String {
    guard unicodeScalars.contains(where: { Self.isControl($0) }) else { return self }
    var text = ""
    for scalar in unicodeScalars {
      if Self.isControl(scalar) {
        text += "\\u{\(String(scalar.value, radix: 16))}"
      } else {
        text.unicodeScalars.append(scalar)
      }
    }
    return text
  }

  /// C0, DEL and C1, the line separators, and the marks that turn the direction of writing.
  private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0..<0x20, 0x7F..<0xA0, 0x2028...0x202E, 0x2066...0x2069: true
    default: false
    }
  }
}
