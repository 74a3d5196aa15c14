import Foundation

/// Notices every time that any process opens a file of a folder (inotify).
public final class OpenWatch: Sendable {
  private let descriptor: Int32

  public init(_ folder: String) throws {
    descriptor = inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC))
    guard descriptor >= 0, inotify_add_watch(descriptor, folder, UInt32(IN_OPEN)) >= 0 else {
      throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
    }
  }

  deinit { close(descriptor) }

  /// Whether a file was opened since the last call.
  public func hasNoticed() -> Bool {
    var buffer = [UInt8](repeating: 0, count: 4096)
    var noticed = false
    while read(descriptor, &buffer, buffer.count) > 0 { noticed = true }
    return noticed
  }
}
