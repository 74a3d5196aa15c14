private import TesseraCZlib

/// Unpacks a gzip stream (RFC 1952) as it comes, several members one after the other included.
package final class Gunzip {
  package struct Failure: Error {
    package var message: String
  }

  private let stream: UnsafeMutablePointer<z_stream>
  private var isBetweenMembers = true
  private var input: [UInt8] = []
  private var offset = 0

  package init() {
    stream = .allocate(capacity: 1)
    stream.initialize(to: z_stream())
    tessera_inflate_init(stream)
  }

  deinit {
    inflateEnd(stream)
    stream.deallocate()
  }

  /// Whether the stream may end here.
  package var isComplete: Bool { isBetweenMembers }

  /// Packed bytes, to be unpacked by ``next()``.
  package func add(_ bytes: [UInt8]) {
    input = offset < input.count ? Array(input[offset...]) + bytes : bytes
    offset = 0
  }

  /// The next unpacked bytes, 256 KiB at most: a bomb fills no memory. Nil where more packed ones are
  /// needed.
  package func next() throws(Failure) -> [UInt8]? {
    var chunk = [UInt8](repeating: 0, count: 256 * 1024)
    while true {
      let count = input.count - offset
      if isBetweenMembers {
        if count == 0 { return nil }
        inflateReset(stream)
        isBetweenMembers = false
      }
      var produced = 0
      var status = Z_OK
      input.withUnsafeMutableBufferPointer { input in
        chunk.withUnsafeMutableBufferPointer { chunk in
          stream.pointee.next_in = input.baseAddress?.advanced(by: offset)
          stream.pointee.avail_in = UInt32(count)
          stream.pointee.next_out = chunk.baseAddress
          stream.pointee.avail_out = UInt32(chunk.count)
          status = inflate(stream, Z_NO_FLUSH)
          produced = chunk.count - Int(stream.pointee.avail_out)
        }
      }
      offset += count - Int(stream.pointee.avail_in)
      switch status {
      case Z_STREAM_END: isBetweenMembers = true
      case Z_OK: break
      case Z_BUF_ERROR: return nil
      default:
        throw Failure(
          message: stream.pointee.msg.map { String(cString: $0) } ?? "not valid gzip data")
      }
      if produced > 0 { return Array(chunk[..<produced]) }
    }
  }
}
