/// What an app can show of an image until its file has loaded. Only the kinds that the pipeline
/// requests are set.
public struct CatalogPlaceholder: Codable, Sendable, Hashable {
  /// The dominant colour of the image, as `#rrggbb`.
  public var color: String?
  /// A ThumbHash in Base64: about 25 bytes for a blurred image with its shape and its alpha.
  public var thumbhash: String?
  /// A BlurHash of four by three components, the four along the longer side.
  public var blurhash: String?
  /// An image of 16 pixels as a `data:` URL.
  public var lqip: String?

  /// A placeholder of any kinds.
  public init(
    color: String? = nil, thumbhash: String? = nil, blurhash: String? = nil, lqip: String? = nil
  ) {
    self.color = color
    self.thumbhash = thumbhash
    self.blurhash = blurhash
    self.lqip = lqip
  }
}

extension CatalogPlaceholder: CatalogRecord {
  static var blank: CatalogPlaceholder { CatalogPlaceholder() }

  static func members<Visitor: MemberVisitor & ~Copyable>(
    _ visitor: inout Visitor, _ placeholder: inout CatalogPlaceholder
  ) throws(Visitor.Failure) {
    try visitor.optional("color", &placeholder.color)
    try visitor.optional("thumbhash", &placeholder.thumbhash)
    try visitor.optional("blurhash", &placeholder.blurhash)
    try visitor.optional("lqip", &placeholder.lqip)
  }

  public init(from decoder: any Decoder) throws { try self.init(members: decoder) }
  public func encode(to encoder: any Encoder) throws { try encodeMembers(to: encoder) }
}
