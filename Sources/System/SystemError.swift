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

  /// What to do about it, as a clause; nil if the reason says it, or if it depends on the operation.
  package var remedy: String? {
    switch code {
    // A file system without free inodes has this error, too.
    case ENOSPC: "free space on its file system (also inodes), and run again"
    case EDQUOT: "free space or have the quota raised, and run again"
    case EROFS: "make its file system writable, and run again"
    case EIO: "check the disk, and run again"
    case EMFILE: "raise the limit of open files (ulimit -n), and run again"
    default: nil
    }
  }
}

extension SystemError: CustomStringConvertible {
  package var description: String {
    "could not \(operation) \"\(path)\": \(reason)" + (remedy.map { "; \($0)" } ?? "")
  }
}
