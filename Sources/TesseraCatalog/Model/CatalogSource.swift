/// The bytes that an image was made from. A member is nil if the source has no such property, or if
/// an earlier version of Tessera did not record it.
public struct CatalogSource: Sendable, Hashable {
  /// After redirects, without secrets.
  public var url: String?
  /// The file's size.
  public var bytes: Int?
  /// SHA-256 of the bytes, in hexadecimal.
  public var sha256: String
  /// Pixels as stored, before the orientation is applied.
  public var width: Int?
  /// Pixels as stored, before the orientation is applied.
  public var height: Int?
  /// The Exif orientation, 1 to 8.
  public var orientation: Int?
  /// `rgb`, `grey`, `cmyk`, `lab` or `other`.
  public var colourSpace: String?
  /// The name of the ICC profile.
  public var profile: String?
  /// The server's validators (RFC 9110, section 8.8).
  public var etag: String?
  /// The server's Last-Modified.
  public var lastModified: String?
  /// The server's X-Robots-Tag: `noimageai`, `noindex`.
  public var robots: String?

  /// A source by its members.
  public init(
    url: String? = nil, bytes: Int? = nil, sha256: String, width: Int? = nil, height: Int? = nil,
    orientation: Int? = nil, colourSpace: String? = nil, profile: String? = nil,
    etag: String? = nil, lastModified: String? = nil, robots: String? = nil
  ) {
    self.url = url
    self.bytes = bytes
    self.sha256 = sha256
    self.width = width
    self.height = height
    self.orientation = orientation
    self.colourSpace = colourSpace
    self.profile = profile
    self.etag = etag
    self.lastModified = lastModified
    self.robots = robots
  }
}

extension CatalogSource: CatalogRecord {
  static var blank: CatalogSource { CatalogSource(sha256: "") }

  static func members<Visitor: MemberVisitor & ~Copyable>(
    _ visitor: inout Visitor, _ source: inout CatalogSource
  ) throws(Visitor.Failure) {
    try visitor.optional("url", &source.url)
    try visitor.optional("bytes", &source.bytes)
    try visitor.required("sha256", &source.sha256)
    try visitor.optional("width", &source.width)
    try visitor.optional("height", &source.height)
    try visitor.optional("orientation", &source.orientation)
    try visitor.optional("colourSpace", &source.colourSpace)
    try visitor.optional("profile", &source.profile)
    try visitor.optional("etag", &source.etag)
    try visitor.optional("lastModified", &source.lastModified)
    try visitor.optional("robots", &source.robots)
  }
}
