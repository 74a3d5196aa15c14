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

/// A place in the layout, in points.
public struct CatalogSlot: Sendable, Hashable {
  /// How an image fills a box.
  public enum Mode: String, Sendable, CaseIterable {
    /// The whole image inside the box (CSS `contain`, sharp `inside`).
    case fit
    /// The whole image, covering the box (sharp `outside`).
    case fill
    /// Cropped to the shape of the box, then scaled to it (CSS `cover`, sharp `cover`).
    case clip
  }

  /// Nil if the width is free.
  public var width: Int?
  /// Nil if the height is free.
  public var height: Int?
  /// How an image fills the slot.
  public var mode: Mode

  /// A slot by its members.
  public init(width: Int?, height: Int?, mode: Mode) {
    self.width = width
    self.height = height
    self.mode = mode
  }
}

extension CatalogSlot: CatalogRecord {
  static var blank: CatalogSlot { CatalogSlot(width: nil, height: nil, mode: .fit) }

  static func members<Visitor: MemberVisitor & ~Copyable>(
    _ visitor: inout Visitor, _ slot: inout CatalogSlot
  ) throws(Visitor.Failure) {
    try visitor.optional("width", &slot.width)
    try visitor.optional("height", &slot.height)
    try visitor.required("mode", &slot.mode)
  }
}

/// How an image fills one slot.
public struct CatalogSlotUse: Sendable, Hashable {
  /// The box in the layout, in points. Nil if it is not known, of an image that failed.
  public var width: Int?
  /// The box in the layout, in points. Nil if it is not known, of an image that failed.
  public var height: Int?
  /// The size of the image, in points, if it is larger than its box: the client shows the part of it that is in the box.
  /// ``CatalogEntry/frame(in:)-(SlotName)`` says where it is. Nil if the image has the size of the box.
  public var image: CatalogSize?
  /// One index into ``CatalogImage/variants`` for each of the catalog's scales. Empty without variants.
  public var variants: [Int]

  /// The use of a slot by its members.
  public init(width: Int?, height: Int?, image: CatalogSize? = nil, variants: [Int] = []) {
    self.width = width
    self.height = height
    self.image = image
    self.variants = variants
  }

  /// Nil if it is not known.
  package var box: CatalogSize? {
    guard let width, let height else { return nil }
    return CatalogSize(width: width, height: height)
  }
}

extension CatalogSlotUse: CatalogRecord {
  static var blank: CatalogSlotUse { CatalogSlotUse(width: nil, height: nil) }

  static func members<Visitor: MemberVisitor & ~Copyable>(
    _ visitor: inout Visitor, _ use: inout CatalogSlotUse
  ) throws(Visitor.Failure) {
    try visitor.optional("width", &use.width)
    try visitor.optional("height", &use.height)
    try visitor.optional("image", &use.image)
    var variants: [Int]? = use.variants.isEmpty ? nil : use.variants
    try visitor.optional("variants", &variants)
    use.variants = variants ?? []
  }
}
