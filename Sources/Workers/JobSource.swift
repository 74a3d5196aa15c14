internal import TesseraSystem

/// Where a job's bytes come from.
package struct JobSource: Sendable {
  /// The bytes of a spooled source.
  package enum Bytes: Sendable {
    case file(path: String)
    case memory([UInt8])
  }

  package var bytes: Bytes
  /// The host that sent it. A worker only has images of one host: whatever a hostile image does to
  /// its worker, it cannot do to another host's images.
  package var host: String

  package init(_ bytes: Bytes, host: String) {
    self.bytes = bytes
    self.host = host
  }
}

extension JobSource.Bytes {
  func opened() throws(SystemError) -> File? {
    if case .file(let path) = self { try File(path, .read) } else { nil }
  }

  var inMemory: [UInt8] { if case .memory(let bytes) = self { bytes } else { [] } }
}
