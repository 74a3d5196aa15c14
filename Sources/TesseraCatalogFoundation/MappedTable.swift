internal import Foundation
internal import TesseraCatalog

/// The bytes of a file, mapped for reading (mmap(2)). The mapping ends with the object.
///
/// A file that is replaced by a rename stays as it was for those who have it mapped. A table never changes;
/// where another program shortens one in place, reading it ends the process, as with every mapping.
final class MappedTable: Sendable {
  let count: Int
  /// `nonisolated(unsafe)`: the bytes are only read, and stay until the object is gone.
  private nonisolated(unsafe) let start: UnsafeMutableRawPointer

  var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: start, count: count) }

  init(_ file: URL) throws(TableError) {
    let descriptor = open(file.path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw Self.failure("opened") }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw Self.failure("examined") }
    // A pipe has no length, and a folder no bytes. mmap(2) rejects a length of 0.
    guard status.st_mode & S_IFMT == S_IFREG, status.st_size > 0,
      let size = Int(exactly: status.st_size)
    else { throw TableError("not a file, or an empty one") }
    guard let place = mmap(nil, size, PROT_READ, MAP_PRIVATE, descriptor, 0), place != MAP_FAILED
    else { throw Self.failure("mapped") }
    (start, count) = (place, size)
  }

  deinit { munmap(start, count) }

  private static func failure(_ action: String) -> TableError {
    TableError("could not be \(action): \(String(cString: strerror(errno)))")
  }
}
