/// A format of a catalog's files. The head lists all of them: those that the pipeline requests, in their order of preference, then
/// those that take their place where they can't hold an image.
public struct CatalogFormat: Sendable, Hashable {
  /// The media type.
  public var type: String
  /// Of the names of files; nil if an image service makes all of them.
  public var fileExtension: String?
  /// In the names of files: 16 hexadecimal digits of a digest of all settings that shape the bytes of this format, but for size and
  /// crop. Nil if an image service makes all of them.
  public var recipe: String?
  /// True if the format only takes the place of another one; nil if the pipeline requests it.
  public var isFallback: Bool?
  /// `high` if its files have a gain map, so that they are brighter on screens of high dynamic range; nil if they look alike on all
  /// screens.
  public var dynamicRange: String?

  /// A format by its members.
  public init(
    type: String, fileExtension: String? = nil, recipe: String? = nil, isFallback: Bool? = nil,
    dynamicRange: String? = nil
  ) {
    self.type = type
    self.fileExtension = fileExtension
    self.recipe = recipe
    self.isFallback = isFallback
    self.dynamicRange = dynamicRange
  }

  package var isHigh: Bool { dynamicRange == "high" }
}

extension CatalogFormat: CatalogRecord {
  static var blank: Self { Self(type: "") }

  static func members<Visitor: MemberVisitor & ~Copyable>(
    _ visitor: inout Visitor, _ format: inout Self
  ) throws(Visitor.Failure) {
    try visitor.required("type", &format.type)
    try visitor.optional("extension", &format.fileExtension)
    try visitor.optional("recipe", &format.recipe)
    try visitor.optional("fallback", &format.isFallback)
    try visitor.optional("dynamicRange", &format.dynamicRange)
  }
}
