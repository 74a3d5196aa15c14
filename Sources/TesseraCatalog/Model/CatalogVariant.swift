/// An encoded file.
public struct CatalogVariant: Codable, Sendable, Hashable {
  /// Relative to the catalog. The name contains the SHA-256 of the content, so the content behind a
  /// name never changes.
  public var path: String
  /// The media type.
  public var type: String
  /// Pixels, read back from the encoded file.
  public var width: Int
  /// Pixels, read back from the encoded file.
  public var height: Int
  /// The file's size.
  public var bytes: Int
  /// Only in catalogs of the `full` profile: SHA-256 of the file, in hexadecimal.
  public var sha256: String?
  /// Why the format is not the requested one: `webp-size-limit` if a side is longer than the format
  /// can hold, `avif-no-animation` if the format would lose the animation.
  public var fallback: String?
  /// The same image at the same size in the other requested formats, in their order of preference.
  /// Nil if there are none.
  public var also: [Alternative]?

  /// The same image in another format.
  public struct Alternative: Codable, Sendable, Hashable {
    /// Relative to the catalog.
    public var path: String
    /// The media type.
    public var type: String
    /// The file's size.
    public var bytes: Int
    /// Only in catalogs of the `full` profile: SHA-256 of the file, in hexadecimal.
    public var sha256: String?
    /// Why the format is not the requested one.
    public var fallback: String?

    /// A file by its members.
    public init(
      path: String, type: String, bytes: Int, fallback: String? = nil, sha256: String? = nil
    ) {
      self.path = path
      self.type = type
      self.bytes = bytes
      self.sha256 = sha256
      self.fallback = fallback
    }
  }

  /// A variant by its members.
  public init(
    path: String, type: String, width: Int, height: Int, bytes: Int, fallback: String? = nil,
    also: [Alternative]? = nil, sha256: String? = nil
  ) {
    self.path = path
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
    CatalogVariant(path: "", type: "", width: 0, height: 0, bytes: 0)
  }

  static func members<Visitor: MemberVisitor & ~Copyable>(
    _ visitor: inout Visitor, _ variant: inout CatalogVariant
  ) throws(Visitor.Failure) {
    try visitor.required("path", &variant.path)
    try visitor.required("type", &variant.type)
    try visitor.required("width", &variant.width)
    try visitor.required("height", &variant.height)
    try visitor.required("bytes", &variant.bytes)
    try visitor.optional("sha256", &variant.sha256)
    try visitor.optional("fallback", &variant.fallback)
    try visitor.optional("also", &variant.also)
  }

  public init(from decoder: any Decoder) throws { try self.init(members: decoder) }
  public func encode(to encoder: any Encoder) throws { try encodeMembers(to: encoder) }
}

extension CatalogVariant.Alternative: CatalogRecord {
  static var blank: Self { Self(path: "", type: "", bytes: 0) }

  static func members<Visitor: MemberVisitor & ~Copyable>(
    _ visitor: inout Visitor, _ other: inout Self
  ) throws(Visitor.Failure) {
    try visitor.required("path", &other.path)
    try visitor.required("type", &other.type)
    try visitor.required("bytes", &other.bytes)
    try visitor.optional("sha256", &other.sha256)
    try visitor.optional("fallback", &other.fallback)
  }

  public init(from decoder: any Decoder) throws { try self.init(members: decoder) }
  public func encode(to encoder: any Encoder) throws { try encodeMembers(to: encoder) }
}
