internal import Glibc
internal import TesseraCProcess

/// A file in memory that another process writes, until it is sealed: from then on it cannot
/// change. It is freed with its last descriptor.
package final class SharedMemory: Sendable {
  package let descriptor: Int32
  /// How many bytes come before those that the other process writes.
  private let start: Int

  /// - Parameter bytes: for the other process to read; what it writes follows them.
  package init(_ bytes: [UInt8] = []) throws(SystemError) {
    start = bytes.count
    descriptor = tessera_memory_file()
    guard descriptor >= 0 else { throw SystemError("make", "a file in memory") }
    if !bytes.isEmpty { try write(bytes.span.bytes) }
  }

  deinit { close(descriptor) }

  /// Appends bytes.
  package func write(_ bytes: RawSpan) throws(SystemError) {
    let failure = bytes.withUnsafeBytes { File.writeAll($0, to: descriptor) }
    guard failure == 0 else { throw SystemError("write to", "a file in memory", code: failure) }
  }

  /// Ends every change.
  ///
  /// - Returns: the number of bytes behind the first ones.
  /// - Throws: EBUSY if another process has mapped it for writing.
  package func seal() throws(SystemError) -> Int {
    let code = tessera_seal(descriptor)
    guard code == 0 else { throw SystemError("seal", "a file in memory", code: code) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw SystemError("examine", "a file in memory") }
    return Int(status.st_size) - start
  }

  /// Reads `count` bytes from `offset` behind the first ones.
  package func read(_ count: Int, at offset: Int) throws(SystemError) -> [UInt8] {
    try File.read(count, at: start + offset, of: descriptor, "a file in memory")
  }
}

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
