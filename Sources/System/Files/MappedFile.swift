internal import Glibc

/// The bytes of a file, mapped for reading (mmap(2)). The mapping ends with the value.
///
/// Reading them where the file has become shorter in the meantime ends the process: only for files
/// that no other process changes.
package struct MappedFile: ~Copyable {
  package let bytes: UnsafeRawBufferPointer

  /// - Parameter descriptor: open for reading. The caller closes it; the mapping stays.
  package init(descriptor: Int32) throws(SystemError) {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw SystemError("examine", "a file") }
    let size = Int(status.st_size)
    // mmap(2) rejects a length of 0.
    guard size > 0 else {
      bytes = UnsafeRawBufferPointer(start: nil, count: 0)
      return
    }
    guard let place = mmap(nil, size, PROT_READ, MAP_PRIVATE, descriptor, 0), place != MAP_FAILED
    else { throw SystemError("read", "a file") }
    bytes = UnsafeRawBufferPointer(start: place, count: size)
  }

  deinit {
    if let place = bytes.baseAddress {
      munmap(UnsafeMutableRawPointer(mutating: place), bytes.count)
    }
  }
}
