internal import TesseraBytes

/// Unique names for files and resources.
///
/// Names that differ only in case count as the same, as on a Mac's file system by default. It grows
/// with the images, which is acceptable for as many as an app ships.
struct FileNames {
  private var taken: Set<String> = []

  /// Returns `plain`; with a part of the digest of `subject`, which the name is for, if it is
  /// taken.
  mutating func unique(_ plain: String, for subject: String) -> String {
    var name = plain
    while !taken.insert(name.lowercased()).inserted {
      name = "\(plain)_\(SHA256.of("\(name)\n\(subject)").prefix(12))"
    }
    return name
  }
}

extension String {
  /// The part after the last dot; empty if there is none.
  var fileExtension: Substring {
    utf8.lastIndex(of: UInt8(ascii: ".")).map { self[utf8.index(after: $0)...] } ?? ""
  }

  /// The text as a name in any file system, so that ids never become paths. If anything had to be
  /// changed, a part of the digest is added, so that two ids are two names.
  var fileName: String {
    safe { byte in
      Self.isLetterOrDigit(byte) || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
    }
  }

  /// The text as the name of an Android resource: lower-case letters, digits and underscores, with
  /// a letter first.
  var resourceName: String {
    let name = safe { byte in
      Self.isLetterOrDigit(byte) && !(0x41...0x5A).contains(byte) || byte == UInt8(ascii: "_")
    }
    return name.utf8.first.map { (0x61...0x7A).contains($0) } == true ? name : "i_\(name)"
  }

  /// With a digest and an extension, far from the 255 bytes that file systems allow (NAME_MAX).
  private static let longest = 80

  private func safe(_ isAllowed: (UInt8) -> Bool) -> String {
    let bytes = utf8.prefix(Self.longest).map { isAllowed($0) ? $0 : UInt8(ascii: "_") }
    let name = String(decoding: bytes, as: UTF8.self)
    return name == self && !isEmpty ? name : "\(name)_\(SHA256.of(self).prefix(12))"
  }

  private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
    (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
  }
}
