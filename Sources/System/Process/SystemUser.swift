internal import Glibc

/// A user of this machine.
package struct SystemUser: Sendable, CustomStringConvertible {
  package let number: UInt32
  /// Nil if the machine has no name for the number, as in a container.
  package let name: String?

  package init(_ number: UInt32) {
    self.number = number
    // For messages only, and on one thread, which its static memory allows.
    name = getpwuid(number).map { String(cString: $0.pointee.pw_name) }
  }

  /// The one that a path belongs to, links not followed, or the folder that hides it; nil if nothing is there.
  package init?(owning path: String) {
    var (path, status) = (path, stat())
    while lstat(path, &status) != 0 {
      guard errno == EACCES, let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")),
        slash > path.startIndex
      else { return nil }
      path = String(path[..<slash])
    }
    self.init(status.st_uid)
  }

  package var isThisOne: Bool { number == geteuid() }

  package var description: String { name ?? "number \(number)" }
}
