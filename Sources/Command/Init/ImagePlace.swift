internal import Glibc
internal import TesseraText

/// Where an image is. Lines of a manifest are compared by it: two URLs of one file are one place, however their bytes
/// are percent-encoded.
struct ImagePlace: Hashable {
  private let isFile: Bool
  /// Of a file the decoded path, which need not be UTF-8; else the URL as a run encodes it.
  private let bytes: [UInt8]

  init(_ url: String) {
    let url = SourceURL.encoded(url)
    let path = Self.path(of: url)
    isFile = path != nil
    bytes = path ?? Array(url.utf8)
  }

  /// The path of a `file:` URL (RFC 8089, section 2), as a run reads it; nil for all other URLs.
  private static func path(of url: String) -> [UInt8]? {
    guard SourceURL.scheme(of: url) == "file" else { return nil }
    var place = Substring(url.utf8.prefix { $0 != UInt8(ascii: "#") }).dropFirst("file:".count)
    if place.hasPrefix("//localhost/") { place = place.dropFirst("//localhost".count) }
    if place.hasPrefix("///") { place = place.dropFirst(2) }
    guard place.hasPrefix("/"), !place.hasPrefix("//"),
      // A NUL would end the path early in a system call.
      let bytes = PercentEncoding.decode(place), !bytes.contains(0)
    else { return nil }
    return bytes
  }

  /// Whether it is a file below a folder, by its path alone.
  ///
  /// - Parameter folder: an absolute path without links.
  func isBelow(_ folder: String) -> Bool {
    let prefix = folder.hasSuffix("/") ? folder : folder + "/"
    guard isFile, bytes.starts(with: prefix.utf8) else { return false }
    let names = bytes.dropFirst(prefix.utf8.count)
      .split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    // A path with `..` may lead out of the folder.
    return names.allSatisfy { !["", ".", ".."].contains(String(decoding: $0, as: UTF8.self)) }
  }

  /// Whether the system reports that no file is there. A path that can't be examined is not missing, and neither is one
  /// through a link: what the link leads to may not be mounted.
  var isMissing: Bool {
    guard isFile, Self.type(bytes[...]).error == ENOENT else { return false }
    return !bytes.indices.contains { index in
      bytes[index] == UInt8(ascii: "/") && index > 0 && Self.type(bytes[..<index]).type == S_IFLNK
    }
  }

  /// The type of what is at a path, or the error number. A link is not followed.
  private static func type(_ path: ArraySlice<UInt8>) -> (type: mode_t, error: Int32) {
    var status = stat()
    guard lstat(path.map(CChar.init(truncatingIfNeeded:)) + [0], &status) == 0 else {
      return (0, errno)
    }
    return (status.st_mode & S_IFMT, 0)
  }
}
