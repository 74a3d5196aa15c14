/// An image at one size: an encoded file, or a URL at which an image service makes it, or both.
public struct CatalogVariant: Codable, Sendable, Hashable {
  /// Relative to the catalog. The name contains the SHA-256 of the content, so the content behind a
  /// name never changes. Nil if there is no file.
  public var path: String?
  /// Of an image service. Nil if there is only a file.
  public var url: String?
  /// The media type.
  public var type: String
  /// Pixels, read back from the encoded file; without a file, as they are requested from an image service.
  public var width: Int
  /// Pixels, read back from the encoded file; without a file, as they are requested from an image service.
  public var height: Int
  /// The file's size. Nil if there is no file; of an ``original`` the source's, if it is known.
  public var bytes: Int?
  /// Whether the URL is the source's own, because the image service can't make the image: all of the image in its own size. Nil
  /// if it is not.
  public var original: Bool?
  /// Only in catalogs of the `full` profile: SHA-256 of the file, in hexadecimal.
  public var sha256: String?
  /// Only in catalogs of the `full` profile, and if it was found for this image: the encoder's quality.
  public var quality: Int?
  /// With ``quality``: the SSIMULACRA 2.1 score that the image has at it, rounded, where it was found. 100 means identical.
  public var score: Int?
  /// Why the format, or the size, is not the requested one: `webp-size-limit` if a side is longer than the
  /// format can hold, `avif-no-animation` if the format would lose the animation, `service-limit` if an image
  /// service can't make the image, or none that is larger.
  public var fallback: String?
  /// The same image at the same size in the other requested formats, in their order of preference, and with a gain map.
  /// Nil if there are none.
  public var also: [Alternative]?

  /// The same image in another format.
  public struct Alternative: Codable, Sendable, Hashable {
    /// Relative to the catalog; nil if there is no file.
    public var path: String?
    /// Of an image service; nil if there is only a file.
    public var url: String?
    /// The media type.
    public var type: String
    /// The file's size; nil if there is no file.
    public var bytes: Int?
    /// Only in catalogs of the `full` profile: SHA-256 of the file, in hexadecimal.
    public var sha256: String?
    /// As ``CatalogVariant/quality``.
    public var quality: Int?
    /// As ``CatalogVariant/score``.
    public var score: Int?
    /// Why the format is not the requested one.
    public var fallback: String?
    /// `high` if the file has a gain map, so that it is brighter on screens of high dynamic range; nil if it looks alike on
    /// all screens.
    public var dynamicRange: String?
    /// With ``dynamicRange``: how many times as bright as white the brightest parts may become.
    public var headroom: Double?

    /// An image in another format by its members.
    public init(
      path: String? = nil, url: String? = nil, type: String, bytes: Int? = nil,
      fallback: String? = nil, sha256: String? = nil, quality: Int? = nil, score: Int? = nil,
      dynamicRange: String? = nil, headroom: Double? = nil
    ) {
      self.dynamicRange = dynamicRange
      self.headroom = headroom
      self.quality = quality
      self.score = score
      self.path = path
      self.url = url
      self.type = type
      self.bytes = bytes
      self.sha256 = sha256
      self.fallback = fallback
    }
  }

  /// A variant by its members.
  public init(
    path: String? = nil, url: String? = nil, type: String, width: Int, height: Int,
    bytes: Int? = nil, fallback: String? = nil, also: [Alternative]? = nil, sha256: String? = nil,
    quality: Int? = nil, score: Int? = nil, original: Bool? = nil
  ) {
    self.original = original
    self.quality = quality
    self.score = score
    self.path = path
    self.url = url
    self.type = type
    self.width = width
    self.height = height
    self.bytes = bytes
    self.sha256 = sha256
    self.fallback = fallback
    self.also = also
  }
}

extension CatalogVariant: CatalogRecord {
  static var blank: CatalogVariant {
    CatalogVariant(type: "", width: 0, height: 0)
  }

  static func members<Visitor: MemberVisitor & ~Copyable>(
    _ visitor: inout Visitor, _ variant: inout CatalogVariant
  ) throws(Visitor.Failure) {
    try visitor.optional("path", &variant.path)
    try visitor.optional("url", &variant.url)
    try visitor.required("type", &variant.type)
    try visitor.required("width", &variant.width)
    try visitor.required("height", &variant.height)
    try visitor.optional("bytes", &variant.bytes)
    try visitor.optional("original", &variant.original)
    try visitor.optional("sha256", &variant.sha256)
    try visitor.optional("quality", &variant.quality)
    try visitor.optional("score", &variant.score)
    try visitor.optional("fallback", &variant.fallback)
    try visitor.optional("also", &variant.also)
  }

  public init(from decoder: any Decoder) throws { try self.init(members: decoder) }
  public func encode(to encoder: any Encoder) throws { try encodeMembers(to: encoder) }
}

extension CatalogVariant.Alternative: CatalogRecord {
  static var blank: Self { Self(type: "") }

  static func members<Visitor: MemberVisitor & ~Copyable>(
    _ visitor: inout Visitor, _ other: inout Self
  ) throws(Visitor.Failure) {
    try visitor.optional("path", &other.path)
    try visitor.optional("url", &other.url)
    try visitor.required("type", &other.type)
    try visitor.optional("bytes", &other.bytes)
    try visitor.optional("sha256", &other.sha256)
    try visitor.optional("quality", &other.quality)
    try visitor.optional("score", &other.score)
    try visitor.optional("fallback", &other.fallback)
    try visitor.optional("dynamicRange", &other.dynamicRange)
    try visitor.optional("headroom", &other.headroom)
  }

  public init(from decoder: any Decoder) throws { try self.init(members: decoder) }
  public func encode(to encoder: any Encoder) throws { try encodeMembers(to: encoder) }
}
