/// One picture of the catalog.
public struct CatalogImage: Codable, Sendable, Equatable {
  public enum Status: String, Codable, Sendable, CaseIterable {
    /// Everything is there.
    case ok
    /// The source could not be reached this time; the last good result stands.
    case stale
    /// Nothing to show.
    case failed
    /// The size is known, variants were not made.
    case pending
  }

  public var id: String
  public var url: String
  public var status: Status
  /// Pixels, as displayed. Nil where the size never became known.
  public var width: Int?
  public var height: Int?
  /// The source's format: `jpeg`, `png`, `gif`, `webp`.
  public var format: String?
  public var alpha: Bool?
  public var animated: Bool?
  public var frames: Int?
  /// Why `status` is `failed` or `stale`.
  public var error: Failure?
  /// What was odd about the source and did not keep it from being shown.
  public var warnings: [String]?
  /// What to show until a file is there. Nil where the picture was never decoded, or where the
  /// pipeline asks for none.
  public var placeholder: CatalogPlaceholder?
  /// Smallest first. Empty where nothing can be shown.
  public var variants: [CatalogVariant]
  /// How each slot is filled, by the slot's name.
  public var slots: [String: CatalogSlotUse]
  /// Where the picture came from. In catalogs of the `full` profile alone.
  public var source: CatalogSource?
  /// What the manifest says of it besides.
  public var extra: CatalogValue?

  /// Why a picture could not be made, or not be refreshed.
  public struct Failure: Codable, Sendable, Equatable, Error {
    /// A stable word: `http-status`, `timeout`, `not-image`…
    public var code: String
    /// A sentence for people.
    public var message: String
    /// Whether the same request may succeed later.
    public var retryable: Bool

    public init(code: String, message: String, retryable: Bool) {
      self.code = code
      self.message = message
      self.retryable = retryable
    }
  }

  public init(
    id: String, url: String, status: Status, width: Int? = nil, height: Int? = nil,
    format: String? = nil, alpha: Bool? = nil, animated: Bool? = nil, frames: Int? = nil,
    error: Failure? = nil, warnings: [String]? = nil, placeholder: CatalogPlaceholder? = nil,
    variants: [CatalogVariant] = [], slots: [String: CatalogSlotUse] = [:],
    source: CatalogSource? = nil, extra: CatalogValue? = nil
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
    self.extra = extra
  }

  private enum CodingKeys: String, CodingKey {
    case id, url, status, width, height, format, alpha, animated, frames, error, warnings
    case placeholder, variants, slots, source, extra
  }

  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    id = try values.decode(String.self, forKey: .id)
    url = try values.decode(String.self, forKey: .url)
    status = try values.decode(Status.self, forKey: .status)
    width = try values.decodeIfPresent(Int.self, forKey: .width)
    height = try values.decodeIfPresent(Int.self, forKey: .height)
    format = try values.decodeIfPresent(String.self, forKey: .format)
    alpha = try values.decodeIfPresent(Bool.self, forKey: .alpha)
    animated = try values.decodeIfPresent(Bool.self, forKey: .animated)
    frames = try values.decodeIfPresent(Int.self, forKey: .frames)
    error = try values.decodeIfPresent(Failure.self, forKey: .error)
    warnings = try values.decodeIfPresent([String].self, forKey: .warnings)
    placeholder = try values.decodeIfPresent(CatalogPlaceholder.self, forKey: .placeholder)
    // A failed picture has neither.
    variants = try values.decodeIfPresent([CatalogVariant].self, forKey: .variants) ?? []
    slots = try values.decodeIfPresent([String: CatalogSlotUse].self, forKey: .slots) ?? [:]
    source = try values.decodeIfPresent(CatalogSource.self, forKey: .source)
    // One that is null is one.
    extra = values.contains(.extra) ? try values.decode(CatalogValue.self, forKey: .extra) : nil
  }
}

/// The bytes that a picture was made from. A member is nil where an earlier version did not note it, or where there
/// is none.
public struct CatalogSource: Codable, Sendable, Equatable {
  /// After redirects, without secrets.
  public var url: String?
  public var bytes: Int?
  /// Of the bytes, in hexadecimal.
  public var sha256: String
  /// Pixels as they are stored, before they are turned upright.
  public var width: Int?
  public var height: Int?
  /// Exif's, 1 to 8.
  public var orientation: Int?
  /// `rgb`, `grey`, `cmyk`, `lab` or `other`.
  public var colourSpace: String?
  /// The name of the ICC profile.
  public var profile: String?
  /// The server's validators (RFC 9110, section 8.8).
  public var etag: String?
  public var lastModified: String?
  /// The server's X-Robots-Tag: `noimageai`, `noindex`.
  public var robots: String?

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

/// What can be shown of a picture until its file is there; of what the pipeline asks for.
public struct CatalogPlaceholder: Codable, Sendable, Equatable {
  /// The colour that most of the picture has, as `#rrggbb`.
  public var color: String?
  /// A ThumbHash, in Base64: some 25 bytes for a blurred picture with its shape and its alpha.
  public var thumbhash: String?
  /// A BlurHash of four by three components, the four along the longer side.
  public var blurhash: String?
  /// A picture of 16 pixels as a `data:` URL.
  public var lqip: String?

  public init(
    color: String? = nil, thumbhash: String? = nil, blurhash: String? = nil, lqip: String? = nil
  ) {
    self.color = color
    self.thumbhash = thumbhash
    self.blurhash = blurhash
    self.lqip = lqip
  }
}

/// An encoded file.
public struct CatalogVariant: Codable, Sendable, Equatable {
  /// Relative to the catalog. Names are made of the content's SHA-256, so a name never changes its
  /// content.
  public var path: String
  /// The media type.
  public var type: String
  /// Pixels, read back from the encoded file.
  public var width: Int
  public var height: Int
  public var bytes: Int
  /// Why this is not what was asked for: `webp-size-limit` where a side is longer than the format
  /// can hold, `avif-no-animation` where the picture moves and would not in that format.
  public var fallback: String?
  /// The same picture at the same size in the other formats that were asked for, in their order of
  /// preference. Nil where there are none.
  public var also: [Alternative]?
  /// Of the file, in hexadecimal. In catalogs of the `full` profile alone.
  public var sha256: String?

  /// The same picture in another format.
  public struct Alternative: Codable, Sendable, Equatable {
    /// Relative to the catalog.
    public var path: String
    /// The media type.
    public var type: String
    public var bytes: Int
    /// Why this is not what was asked for.
    public var fallback: String?
    /// Of the file, in hexadecimal. In catalogs of the `full` profile alone.
    public var sha256: String?

    public init(
      path: String, type: String, bytes: Int, fallback: String? = nil, sha256: String? = nil
    ) {
      self.sha256 = sha256
      self.path = path
      self.type = type
      self.bytes = bytes
      self.fallback = fallback
    }
  }

  public init(
    path: String, type: String, width: Int, height: Int, bytes: Int, fallback: String? = nil,
    also: [Alternative]? = nil, sha256: String? = nil
  ) {
    self.sha256 = sha256
    self.path = path
    self.type = type
    self.width = width
    self.height = height
    self.bytes = bytes
    self.fallback = fallback
    self.also = also
  }
}

/// How a picture fills one slot.
public struct CatalogSlotUse: Codable, Sendable, Equatable {
  /// Points, as laid out.
  public var width: Int
  public var height: Int
  /// One index into ``CatalogImage/variants`` for each of the catalog's scales.
  public var variants: [Int]

  public init(width: Int, height: Int, variants: [Int]) {
    self.width = width
    self.height = height
    self.variants = variants
  }
}
