private import TesseraCZlib

/// Decompresses one zlib or gzip stream (RFC 1950, RFC 1952) step by step; zlib itself recognizes
/// which.
package final class Inflate {
  package struct Failure: Error {
    /// zlib's message.
    package var message: String
  }

  /// What one step did.
  package struct Step: Equatable {
    /// Bytes of the input that were read.
    package var consumed: Int
    /// Bytes of the output that were written. If that is all of it, another step may write more
    /// without further input.
    package var produced: Int
    /// Whether the stream ended. Input after that belongs to something else.
    package var hasEnded: Bool
  }

  /// On the heap, because zlib's state points back to this struct.
  private let stream: UnsafeMutablePointer<z_stream>

  package init() {
    stream = .allocate(capacity: 1)
    stream.initialize(to: z_stream())
    // If memory is exhausted, the state stays empty and every step fails.
    tessera_inflate_init(stream)
  }

  deinit {
    inflateEnd(stream)
    stream.deallocate()
  }

  /// Makes ready for another stream.
  package func reset() { inflateReset(stream) }

  /// Decompresses as much of the input as fits into the output. A step without any effect means
  /// that more input is needed; it is not an error.
  package func step(
    _ input: Span<UInt8>, into output: inout [UInt8]
  ) throws(Failure) -> Step {
    let status = input.withUnsafeBufferPointer { input in
      output.withUnsafeMutableBufferPointer { output in
        // zlib's declaration lacks the const: it does not write to its input.
        stream.pointee.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
        stream.pointee.avail_in = UInt32(input.count)
        stream.pointee.next_out = output.baseAddress
        stream.pointee.avail_out = UInt32(output.count)
        return inflate(stream, Z_NO_FLUSH)
      }
    }
    // Z_BUF_ERROR means no progress; zlib can go on with more input or output.
    guard [Z_OK, Z_STREAM_END, Z_BUF_ERROR].contains(status) else {
      throw Failure(
        message: stream.pointee.msg.map { String(cString: $0) } ?? "not valid compressed data")
    }
    return Step(
      consumed: input.count - Int(stream.pointee.avail_in),
      produced: output.count - Int(stream.pointee.avail_out), hasEnded: status == Z_STREAM_END)
  }
}

/// Compresses short sequences of bytes, each by itself: DEFLATE without framing (RFC 1951).
package final class RawDeflate {
  /// On the heap, because zlib's state points back to these structs.
  private let packer: UnsafeMutablePointer<z_stream>
  private let unpacker: UnsafeMutablePointer<z_stream>
  private var buffer = [UInt8](repeating: 0, count: 4_096)

  /// More than any text has: damaged bytes may stand for a thousand times as many.
  private static let limit = 1 << 26

  package init() {
    (packer, unpacker) = (.allocate(capacity: 1), .allocate(capacity: 1))
    packer.initialize(to: z_stream())
    unpacker.initialize(to: z_stream())
    // If memory is exhausted, the states stay empty, and nothing is packed or unpacked.
    tessera_deflate_init(packer)
    tessera_inflate_raw_init(unpacker)
  }

  deinit {
    deflateEnd(packer)
    inflateEnd(unpacker)
    packer.deallocate()
    unpacker.deallocate()
  }

  /// Empty if memory is exhausted.
  package func pack(_ bytes: [UInt8]) -> [UInt8] {
    bytes.withUnsafeBufferPointer { bytes in
      deflateReset(packer)
      let bound = Int(deflateBound(packer, UInt(bytes.count)))
      return [UInt8](unsafeUninitializedCapacity: bound) { output, count in
        // zlib's declaration lacks the const: it does not write to its input.
        packer.pointee.next_in = UnsafeMutablePointer(mutating: bytes.baseAddress)
        packer.pointee.avail_in = UInt32(bytes.count)
        packer.pointee.next_out = output.baseAddress
        packer.pointee.avail_out = UInt32(bound)
        count =
          deflate(packer, Z_FINISH) == Z_STREAM_END ? bound - Int(packer.pointee.avail_out) : 0
      }
    }
  }

  /// Nil if the bytes can't be what ``pack(_:)`` made: they have no checksum.
  package func unpack(_ bytes: UnsafeBufferPointer<UInt8>) -> [UInt8]? {
    inflateReset(unpacker)
    unpacker.pointee.next_in = UnsafeMutablePointer(mutating: bytes.baseAddress)
    unpacker.pointee.avail_in = UInt32(bytes.count)
    var count = 0
    while true {
      let status = buffer.withUnsafeMutableBufferPointer { output in
        unpacker.pointee.next_out = output.baseAddress.map { $0 + count }
        unpacker.pointee.avail_out = UInt32(output.count - count)
        return inflate(unpacker, Z_NO_FLUSH)
      }
      count = buffer.count - Int(unpacker.pointee.avail_out)
      if status == Z_STREAM_END { break }
      guard status == Z_OK, count == buffer.count, count < Self.limit else { return nil }
      buffer += [UInt8](repeating: 0, count: count)
    }
    return unpacker.pointee.avail_in == 0 ? Array(buffer[..<count]) : nil
  }
}
