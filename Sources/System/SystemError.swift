internal import Glibc

/// A call to the operating system that failed: the operation, the path and `errno`.
package struct SystemError: Error, Equatable, Sendable {
  /// In the infinitive, so that "could not …" may come before it: "open", "write to".
  package var operation: String
  package var path: String
  package var code: Int32
  /// What is at the path instead of what was expected: completes a sentence that begins with it.
  package var finding: String?

  package init(_ operation: String, _ path: String, code: Int32 = errno) {
    self.operation = operation
    self.path = path
    self.code = code
  }

  /// A symbolic link where Tessera follows none.
  package static func link(_ path: String) -> SystemError {
    var error = SystemError("use", path, code: ELOOP)
    error.finding =
      "is a symbolic link, and none is followed inside an output; "
      + "remove it, or replace it with what it leads to"
    return error
  }

  /// Something that cannot be read like a file: a folder, a pipe, a device.
  package static func notAFile(_ path: String) -> SystemError {
    var error = SystemError("read", path, code: EINVAL)
    error.finding = "is not a regular file"
    return error
  }

  /// A named pipe that is opened for writing, and has no reader.
  package static func noReader(_ path: String) -> SystemError {
    var error = SystemError("open", path, code: ENXIO)
    error.finding = "is a named pipe that no program reads; start its reader, too"
    return error
  }

  /// A file that is not written, because something would be lost.
  ///
  /// - Parameter finding: completes a sentence that begins with the path.
  package static func notReplaced(_ path: String, _ finding: String) -> SystemError {
    var error = SystemError("write to", path, code: EEXIST)
    error.finding = finding
    return error
  }

  /// What another process has changed meanwhile, so that nothing was written.
  ///
  /// - Parameter finding: completes a sentence that begins with the path.
  package static func overtaken(_ path: String, _ finding: String) -> SystemError {
    var error = SystemError("write to", path, code: ESTALE)
    error.finding = finding
    return error
  }

  /// Whether it is ``overtaken(_:_:)``.
  package var isOvertaken: Bool { code == ESTALE && operation == "write to" }

  /// A file whose content can't be what was written to it.
  package static func damaged(_ path: String, _ reason: String) -> SystemError {
    var error = SystemError("read", path, code: EBADMSG)
    error.finding = "is damaged: \(reason)"
    return error
  }

  /// Whether it is ``damaged(_:_:)``.
  package var isDamage: Bool { code == EBADMSG }

  /// Whether this user may not do it, and another may.
  package var isPermission: Bool { code == EACCES || code == EPERM }

  /// What an object store answered.
  ///
  /// - Parameter finding: completes a sentence that begins with the path.
  package static func store(_ path: String, _ finding: String, _ kind: StoreKind) -> SystemError {
    let code =
      switch kind {
      case .missing: ENOENT
      case .existing: EEXIST
      case .unsupported: EOPNOTSUPP
      case .lost: ECANCELED
      case .unreachable: EHOSTUNREACH
      case .other: EREMOTEIO
      }
    var error = SystemError("use", path, code: code)
    error.finding = finding
    return error
  }

  package enum StoreKind: Sendable {
    case missing, existing, unsupported, lost, unreachable, other
  }

  package var isLink: Bool { self == .link(path) }

  // ENOTDIR, too: then a part of the path above the file is missing as a directory.
  package var isMissingFile: Bool { code == ENOENT || code == ENOTDIR }

  package var isExistingFile: Bool { code == EEXIST }

  /// Whether there is no space left, or no more for this user.
  package var isFullDisk: Bool { code == ENOSPC || code == EDQUOT }

  /// Whether another process has taken over what this one held in a store.
  package var isLost: Bool { code == ECANCELED }

  /// Whether the system, or a server, does not know the operation.
  package var isUnsupported: Bool { code == EOPNOTSUPP }

  /// The finding, or else the C library's text for the code: "No such file or directory".
  package var reason: String {
    finding.map { "\"\(path)\" \($0)" } ?? String(cString: strerror(code))
  }

  /// What to do about it, as a clause; nil if the reason says it, or if it depends on the operation.
  package var remedy: String? {
    switch code {
    // A file system without free inodes has this error, too.
    case ENOSPC: "free space on its file system (also inodes), and run again"
    case EDQUOT: "free space or have the quota raised, and run again"
    case EROFS: "make its file system writable, and run again"
    case EIO: "check the disk, and run again"
    case EACCES, EPERM:
      SystemUser(owning: path).flatMap { $0.isThisOne ? nil : $0 }.map {
        "run as its owner (\($0)), or change its permissions"
      } ?? "run as its owner, or change its permissions"
    case EISDIR: "name a file"
    case EAGAIN where operation == "start":
      "raise the limits of processes and address space (ulimit -u, ulimit -v), and run again"
    case EMFILE: "raise the limit of open files (ulimit -n), and run again"
    default: nil
    }
  }
}

extension SystemError: ReportedError {
  package var report: TesseraError {
    let isOutput =
      [EREMOTEIO, EHOSTUNREACH, EOPNOTSUPP].contains(code) || isDamage || isOvertaken
    let kind: TesseraError.Code =
      isFullDisk ? .diskFull : isLost ? .lost : isOutput ? .output : .system
    let isWhole = finding == nil
    var report = TesseraError(
      kind, isWhole ? "could not \(operation) \"\(path)\": \(reason)" : reason,
      remedy: isWhole ? remedy : nil, subject: path)
    report.isRetryable = report.isRetryable || isOvertaken || code == EHOSTUNREACH
    return report
  }
}

extension SystemError: CustomStringConvertible {
  package var description: String { report.description }
}
