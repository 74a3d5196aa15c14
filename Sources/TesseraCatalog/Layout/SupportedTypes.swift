/// Sets of media types that clients show, for a ``CatalogIndex``.
public enum SupportedTypes {
  /// What every client shows.
  public static let everywhere: Set = ["image/jpeg", "image/png", "image/gif"]

  /// Of iOS and iPadOS, and of tvOS, whose versions have the same numbers: WebP from 14, HEIC from 11, AVIF from
  /// 16, JPEG XL from 17.
  public static func iOS(_ major: Int) -> Set<String> {
    types([("image/heic", 11), ("image/webp", 14), ("image/avif", 16), ("image/jxl", 17)], major)
  }

  /// Of macOS: HEIC from 10.13 (any that Swift runs on), WebP from 11, AVIF from 13, JPEG XL from 14.
  public static func macOS(_ major: Int) -> Set<String> {
    types([("image/heic", 10), ("image/webp", 11), ("image/avif", 13), ("image/jxl", 14)], major)
  }

  /// Of a browser, by its header `Accept` (RFC 9110, section 12.5.1). Types of weight 0 are left out, and ranges such
  /// as `image/*` add nothing: browsers send them whatever they support.
  public static func accept(_ header: String) -> Set<String> {
    var types = everywhere
    for part in header.split(separator: ",") {
      let fields = part.split(separator: ";").map {
        $0.filter { $0 != " " && $0 != "\t" }.lowercased()
      }
      guard let type = fields.first, type.hasPrefix("image/"), !type.hasSuffix("*") else {
        continue
      }
      let isRejected = fields.dropFirst().contains {
        $0.hasPrefix("q=") && Double($0.dropFirst(2)) == 0
      }
      if isRejected { types.remove(type) } else { types.insert(type) }
    }
    return types
  }

  private static func types(_ since: [(type: String, version: Int)], _ version: Int) -> Set<String>
  {
    everywhere.union(since.filter { version >= $0.version }.map(\.type))
  }
}
