internal import Glibc

/// A folder that only this user can access, and that is removed together with this value. Its lock tells others that this
/// process lives: what a killed one left, the next one removes.
package struct LockedFolder: ~Copyable, Sendable {
  package let name: String
  private let above: Directory
  /// Nil where the file system has no locks: then no other process can take it either, and leaves the folder alone.
  private let lock: File?

  /// - Parameter makeName: makes a name that nothing has; another one with each call.
  package init(in above: Directory, _ makeName: () -> String) throws(SystemError) {
    while true {
      let name = makeName()
      guard mkdirat(above.descriptor, name, 0o700) == 0 else {
        throw SystemError("make the directory", above.path(of: name))
      }
      let lock: File?
      do throws(SystemError) {
        // Another process may have taken it for left behind before it was locked, and removes it.
        guard let own = try above.directory(name).lock() else { continue }
        lock = consume own
      } catch {
        lock = nil
      }
      // Or it has removed it already.
      guard above.exists(name) else { continue }
      (self.name, self.above) = (name, above)
      self.lock = lock
      return
    }
  }

  deinit {
    // What stays, the next process removes.
    try? above.removeTree(name)
  }

  /// Whether the process that made a folder is gone, as far as this user may find out: its lock can be taken.
  package static func isLeft(_ name: String, in above: Directory) -> Bool {
    lockOfLeft(name, in: above) != nil
  }

  /// Removes a folder of a process that is gone.
  package static func removeIfLeft(_ name: String, in above: Directory) throws(SystemError) {
    // Held until it is gone: its owner could not take it in between.
    guard let lock = lockOfLeft(name, in: above) else { return }
    try above.removeTree(name)
    _ = consume lock
  }

  private static func lockOfLeft(_ name: String, in above: Directory) -> File? {
    (try? above.directory(name).lock()) ?? nil
  }
}
