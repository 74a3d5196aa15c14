internal import TesseraBytes

extension FileSystem {
  /// SHA-256 of a file's content: 64 hexadecimal digits. Reads one MiB at a time.
  package static func sha256(of path: String) throws(SystemError) -> String {
    let file = try File(path, .read)
    let digest = SHA256()
    var offset = 0
    while true {
      let bytes = try file.read(1 << 20, at: offset)
      if bytes.isEmpty { return digest.hexadecimal() }
      bytes.withUnsafeBytes { digest.update($0) }
      offset += bytes.count
    }
  }
}
