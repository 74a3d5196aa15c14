private import TesseraCDeflate

/// The 32-bit cyclic redundancy check of PNG (ISO/IEC 15948, annex D) and gzip (RFC 1952, section
/// 8).
package enum CRC32 {
  package static func of(_ bytes: [UInt8]) -> UInt32 {
    libdeflate_crc32(0, bytes, bytes.count)
  }
}
