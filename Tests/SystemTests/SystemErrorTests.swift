import Glibc
import Testing

@testable import TesseraSystem

/// What is said about calls that fail.
@Suite struct SystemErrorTests {
  private static let space = "free space on its file system (also inodes), and run again"
  private static let owner = "run as its owner, or change its permissions"

  /// An operation, its code, and what follows "could not open "/a": ".
  @Test(arguments: [
    ("open", ENOENT, "No such file or directory"),
    ("write to", ENOSPC, "No space left on device; \(space)"),
    ("write to", EDQUOT, "Disk quota exceeded; free space or have the quota raised, and run again"),
    ("write to", EROFS, "Read-only file system; make its file system writable, and run again"),
    ("read", EIO, "Input/output error; check the disk, and run again"),
    ("open", EACCES, "Permission denied; \(owner)"),
    ("open", EPERM, "Operation not permitted; \(owner)"),
    ("open", EISDIR, "Is a directory; name a file"),
    (
      "start", EAGAIN,
      "Resource temporarily unavailable; raise the limits of processes and address space "
        + "(ulimit -u, ulimit -v), and run again"
    ),
    ("lock", EAGAIN, "Resource temporarily unavailable"),
    (
      "open", EMFILE,
      "Too many open files; raise the limit of open files (ulimit -n), and run again"
    ),
  ])
  func anErrorSaysWhatToDo(_ operation: String, _ code: Int32, _ rest: String) {
    let error = SystemError(operation, "/a", code: code)
    #expect("\(error)" == "could not \(operation) \"/a\": \(rest)")
    #expect(error.reason == rest.split(separator: ";")[0])
    #expect(error == SystemError(operation, "/a", code: code))
  }

  @Test func theCodeIsThatOfTheLastCall() {
    errno = EXDEV
    #expect(SystemError("rename", "/a").code == EXDEV)
  }

  /// Errors that say what was found instead.
  @Test(arguments: [
    (
      SystemError.link("/a"),
      "\"/a\" is a symbolic link, and none is followed inside an output; remove it, or replace it "
        + "with what it leads to"
    ),
    (.notAFile("/a"), "\"/a\" is not a regular file"),
    (.noReader("/a"), "\"/a\" is a named pipe that no program reads; start its reader, too"),
    (.notReplaced("/a", "is newer"), "\"/a\" is newer"),
    (.damaged("/a", "it ends early"), "\"/a\" is damaged: it ends early"),
    (.store("s3://b/k", "is gone", .missing), "\"s3://b/k\" is gone"),
  ])
  func aFindingIsTheWholeSentence(_ error: SystemError, _ text: String) {
    #expect("\(error)" == text)
    #expect(error.reason == text)
  }

  /// The kinds of errors that callers tell apart: missing, existing, unsupported, damage, link.
  @Test(arguments: [
    (SystemError("open", "/a", code: ENOENT), "missing"),
    (SystemError("open", "/a", code: ENOTDIR), "missing"),
    (SystemError("open", "/a", code: EEXIST), "existing"),
    (SystemError("link", "/a", code: EOPNOTSUPP), "unsupported"),
    (SystemError("open", "/a", code: EACCES), ""), (SystemError("use", "/a", code: ELOOP), ""),
    (.link("/a"), "link"), (.damaged("/a", "x"), "damage"), (.notAFile("/a"), ""),
    (.noReader("/a"), ""), (.notReplaced("/a", "x"), "existing"),
    (.store("s3://b", "x", .missing), "missing"), (.store("s3://b", "x", .existing), "existing"),
    (.store("s3://b", "x", .unsupported), "unsupported"), (.store("s3://b", "x", .other), ""),
  ])
  func kindsOfErrors(_ error: SystemError, _ kind: String) {
    let kinds = [
      ("missing", error.isMissingFile), ("existing", error.isExistingFile),
      ("unsupported", error.isUnsupported), ("damage", error.isDamage), ("link", error.isLink),
    ]
    #expect(kinds.filter(\.1).map(\.0) == (kind.isEmpty ? [] : [kind]))
  }

  @Test func theCodesOfFindingsAreThoseOfTheSystem() {
    let errors = [
      SystemError.link("a"), .notAFile("a"), .noReader("a"), .notReplaced("a", "b"),
      .damaged("a", "b"), .store("a", "b", .other),
    ]
    #expect(errors.map(\.code) == [ELOOP, EINVAL, ENXIO, EEXIST, EBADMSG, EREMOTEIO])
    #expect(
      errors.map(\.operation) == ["use", "read", "open", "write to", "read", "use"])
    #expect(errors.allSatisfy { $0.path == "a" })
  }
}
