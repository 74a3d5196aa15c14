internal import TesseraJSON

/// One image of the catalog.
public struct CatalogImage: Sendable, Hashable, Identifiable {
  /// What there is to show of an image.
  public enum Status: String, Sendable, CaseIterable {
    /// The image is complete.
    case ok
    /// The source could not be reached this time. The last good result still applies.
    case stale
    /// There is nothing to show.
    case failed
    /// The size is known, but no variants were made.
    case pending
  }

  public var id: String
  /// The source's URL, without secrets; of a file, its path from the manifest. Nil if the pipeline does not show
  /// URLs.
  public var url: String?
  /// What there is to show.
  public var status: Status
  /// Pixels, as displayed. Nil if the size is unknown.
  public var width: Int?
  /// Pixels, as displayed. Nil if the size is unknown.
  public var height: Int?
  /// The source's format: `jpeg`, `png`, `gif`, `webp`.
  public var format: String?
  /// Whether the source has an alpha channel; nil if that is unknown.
  public var alpha: Bool?
  /// Whether the source has several frames; nil if that is unknown.
  public var animated: Bool?
  /// The number of frames; nil if it is unknown.
  public var frames: Int?
  /// Why `status` is `failed` or `stale`.
  public var error: Failure?
  /// Defects of the source that did not prevent showing it.
  public var warnings: [String]?
  /// What to show until a file has loaded. Nil if the image was never decoded, or if the pipeline
  /// requests no placeholders.
  public var placeholder: CatalogPlaceholder?
  /// Smallest first. Empty if there is nothing to show.
  public var variants: [CatalogVariant]
  /// How the image fills each slot, by the slot's name.
  public var slots: [String: CatalogSlotUse]
  /// In the names of the image's files: 32 hexadecimal digits of a digest of the source's bytes and of how they are decoded. Two
  /// images with the same one have the same source. Nil if there are no files.
  public var source: String?
  /// The bytes that the image was made from. Only in catalogs of the `full` profile.
  public var provenance: CatalogSource?
  /// What the image shows, for those who do not see it: the manifest's `alt`. Empty for an ornament; nil if the
  /// manifest does not say.
  public var alt: String?
  /// The point that crops keep in view: the manifest's `focus`.
  public var focus: CatalogFocus?
  /// The manifest's `extra`.
  public var extra: CatalogValue?
  /// The variants as they are written, between the text and ``variants``.
  var forms: [VariantForm]?

  /// Why an image could not be made or refreshed.
  public struct Failure: Sendable, Hashable, Error {
    /// A stable word: `http-status`, `timeout`, `not-image`…
    public var code: String
    /// A sentence for people.
    public var message: String
    /// Whether the same request may succeed later.
    public var retryable: Bool

    /// A failure by its members.
    public init(code: String, message: String, retryable: Bool) {
      self.code = code
      self.message = message
      self.retryable = retryable
    }
  }

  /// An image by its members.
  public init(
    id: String, url: String? = nil, status: Status, width: Int? = nil, height: Int? = nil,
    format: String? = nil, alpha: Bool? = nil, animated: Bool? = nil, frames: Int? = nil,
    error: Failure? = nil, warnings: [String]? = nil, placeholder: CatalogPlaceholder? = nil,
    variants: [CatalogVariant] = [], slots: [String: CatalogSlotUse] = [:],
    source: String? = nil, provenance: CatalogSource? = nil, alt: String? = nil,
    focus: CatalogFocus? = nil,
    extra: CatalogValue? = nil
  ) {
    self.id = id
    self.url = url
    self.status = status
    self.width = width
    self.height = height
    self.format = format
    self.alpha = alpha
    self.animated = animated
    self.frames = frames
    self.error = error
    self.warnings = warnings
    self.placeholder = placeholder
    self.variants = variants
    self.slots = slots
    self.source = source
    self.provenance = provenance
    self.alt = alt
    self.focus = focus
    self.extra = extra
  }
}

extension CatalogImage: CatalogRecord {
  static var blank: CatalogImage { CatalogImage(id: "", status: .failed) }

  static func members<Visitor: MemberVisitor & ~Copyable>(
    _ visitor: inout Visitor, _ image: inout CatalogImage
  ) throws(Visitor.Failure) {
    try visitor.required("id", &image.id)
    try visitor.optional("url", &image.url)
    try visitor.required("status", &image.status)
    try visitor.optional("width", &image.width)
    try visitor.optional("height", &image.height)
    try visitor.optional("format", &image.format)
    try visitor.optional("alpha", &image.alpha)
    try visitor.optional("animated", &image.animated)
    try visitor.optional("frames", &image.frames)
    try visitor.optional("error", &image.error)
    try visitor.optional("warnings", &image.warnings)
    try visitor.optional("placeholder", &image.placeholder)
    try visitor.optional("source", &image.source)
    try visitor.optional("variants", &image.forms)
    try visitor.collection("slots", &image.slots)
    try visitor.optional("provenance", &image.provenance)
    try visitor.optional("alt", &image.alt)
    try visitor.optional("focus", &image.focus)
    try visitor.anything("extra", &image.extra)
  }
}

extension CatalogImage.Failure: CatalogRecord {
  static var blank: Self { Self(code: "", message: "", retryable: false) }

  static func members<Visitor: MemberVisitor & ~Copyable>(
    _ visitor: inout Visitor, _ failure: inout Self
  ) throws(Visitor.Failure) {
    try visitor.required("code", &failure.code)
    try visitor.required("message", &failure.message)
    try visitor.required("retryable", &failure.retryable)
  }
}

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

/// A point of an image, in fractions of its width and height from the upper left corner. In the catalog it is an
/// array of two numbers from 0 to 1.
public struct CatalogFocus: Sendable, Hashable {
  /// From the left side, 0 to 1.
  public var x: Double
  /// From the upper side, 0 to 1.
  public var y: Double

  /// A point by its fractions.
  public init(x: Double, y: Double) {
    self.x = x
    self.y = y
  }
}

extension CatalogFocus: MemberValue {
  static func read(from scanner: inout JSONScanner) throws(JSONScanner.Failure) -> CatalogFocus {
    scanner.skipSpace()
    let start = scanner.offset
    var numbers: [Double] = []
    try scanner.array { scanner throws(JSONScanner.Failure) in
      numbers.append(Double(try scanner.number()) ?? .nan)
    }
    guard numbers.count == 2, numbers.allSatisfy((0...1).contains) else {
      throw JSONScanner.Failure(offset: start, message: "expected two numbers from 0 to 1")
    }
    return CatalogFocus(x: numbers[0], y: numbers[1])
  }

  func write(to writer: inout JSONWriter) {
    writer.array { point in
      // With all digits, and whole numbers as ECMAScript writes them.
      point.value(json: JSONNumber.text(of: x))
      point.value(json: JSONNumber.text(of: y))
    }
  }

}
