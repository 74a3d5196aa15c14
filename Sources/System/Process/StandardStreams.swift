internal import Glibc
internal import Synchronization
internal import TesseraCProcess

/// Writes to standard output and standard error, completely and without a buffer in between.
package enum StandardStream: Sendable {
  case output
  case error

  /// Opens /dev/null for each standard stream that is closed. To be called before anything is
  /// opened: otherwise the next file or socket would get the descriptor of standard output.
  package static func fillGaps() { tessera_fill_standard_streams() }

  private var descriptor: Int32 { self == .output ? STDOUT_FILENO : STDERR_FILENO }

  /// `errno` of the first write to standard output that failed; 0 if none did.
  package static var outputFailure: Int32 { failure.withLock { $0 } }

  private static let failure = Mutex<Int32>(0)

  /// Writes all of `text`. Returns false if that failed.
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
  /// The text, safe for a log or a terminal: control characters are written as \u{…}. A URL from an
  /// untrusted source may hold escape sequences.
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

  /// C0, DEL and C1, the line separators, and the marks that change the direction of the text.
  private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0..<0x20, 0x7F..<0xA0, 0x2028...0x202E, 0x2066...0x2069: true
    default: false
    }
  }
}
