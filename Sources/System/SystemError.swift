internal import Glibc

/// A call to the operating system that failed: what was tried, on which path, and `errno`.
package struct SystemError: Error, Equatable, Sendable {
  /// In the infinitive: "open", "write to".
  package var operation: String
  package var path: String
  package var code: Int32

  package init(_ operation: String, _ path: String, code: Int32 = errno) {
    self.operation = operation
    self.path = path
    self.code = code
  }

  package var isMissingFile: Bool { code == ENOENT || code == ENOTDIR }

  /// The kernel's sentence for the code: "No such file or directory".
  package var reason: String { String(cString: strerror(code)) }
}

extension SystemError: CustomStringConvertible {
  package var description: String { "could not \(operation) \"\(path)\": \(reason)" }
}
