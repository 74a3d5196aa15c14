internal import TesseraBytes
internal import TesseraText

/// Ids from the names of files, which may hold what an id may not.
enum ImageID {
  /// In bytes: the most that a manifest accepts.
  private static let longest = 1024

  /// A name as an id: control characters are percent-encoded, and one that is too long ends in a digest of all of it.
  static func from(_ name: String) -> String {
    let id = name.unicodeScalars.map { scalar in
      scalar.properties.generalCategory == .control
        ? PercentEncoding.encode(String(scalar)) : String(scalar)
    }.joined()
    guard id.utf8.count > longest else { return id }
    let end = "-" + SHA256.of(name).prefix(16)
    var (scalars, room) = (String.UnicodeScalarView(), longest - end.utf8.count)
    for scalar in id.unicodeScalars {
      room -= UTF8.width(scalar)
      guard room >= 0 else { break }
      scalars.append(scalar)
    }
    return String(scalars) + end
  }
}
