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
