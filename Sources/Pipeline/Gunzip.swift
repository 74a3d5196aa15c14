private import TesseraCZlib

/// Unpacks a gzip stream (RFC 1952) as it comes, several members one after the other included.
final class Gunzip {
  struct Failure: Error {
    var message: String
  }

  private let stream: UnsafeMutablePointer<z_stream>
  private var isBetweenMembers = true

  init() {
    stream = .allocate(capacity: 1)
    stream.initialize(to: z_stream())
    tessera_inflate_init(stream)
  }

  deinit {
    inflateEnd(stream)
    stream.deallocate()
  }

  /// Whether the stream may end here.
  var isComplete: Bool { isBetweenMembers }

  /// Unpacks a part, giving out at most 256 KiB at a time: a bomb fills no memory.
  func unpack(
    _ bytes: [UInt8], _ output: ([UInt8]) throws -> Void
  ) throws {
    var chunk = [UInt8](repeating: 0, count: 256 * 1024)
    var input = bytes
    var offset = 0
    while true {
      var produced = 0
      var status = Z_OK
      let count = input.count - offset
      if isBetweenMembers {
        if count == 0 { return }
        inflateReset(stream)
        isBetweenMembers = false
      }
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
      if produced > 0 { try output(Array(chunk[..<produced])) }
      switch status {
      case Z_STREAM_END: isBetweenMembers = true
      case Z_OK where produced > 0 || offset < input.count: continue
      case Z_OK, Z_BUF_ERROR: return
      default:
        throw Failure(
          message: stream.pointee.msg.map { String(cString: $0) } ?? "not valid gzip data")
      }
    }
  }
}
