internal import Glibc

/// A call to the operating system that failed: the operation, the path and `errno`.
package struct SystemError: Error, Equatable, Sendable {
  /// In the infinitive, so that "could not …" may come before it: "open", "write to".
  package var operation: String
  package var path: String
  package var code: Int32

  package init(_ operation: String, _ path: String, code: Int32 = errno) {
    self.operation = operation
    self.path = path
    self.code = code
  }

  // ENOTDIR, too: then a part of the path above the file is missing as a directory.
  package var isMissingFile: Bool { code == ENOENT || code == ENOTDIR }

  /// The C library's text for the code: "No such file or directory".
  package var reason: String { String(cString: strerror(code)) }
}

extension SystemError: CustomStringConvertible {
  package var description: String { "could not \(operation) \"\(path)\": \(reason)" }
}
