/// An image at one size, in one or more formats.
public struct CatalogVariant: Sendable, Hashable {
  /// Pixels, read back from the encoded files; without a file, as they are requested from an image service.
  public var width: Int
  /// Pixels, read back from the encoded files; without a file, as they are requested from an image service.
  public var height: Int
  /// If the files show only a part of the image: the digest of that part which is in their names. Nil if they show all of it.
  public var crop: String?
  /// Why a format, or the size, is not the requested one: `webp-size-limit` if a side is longer than the
  /// format can hold, `avif-no-animation` if the format would lose the animation, `service-limit` if an image
  /// service can't make the image, or none that is larger.
  public var fallback: String?
  /// The image in each of its formats, in their order of preference. Never empty in a catalog.
  public var files: [File]
  /// The image for screens of high dynamic range, which on all others looks like the others; nil if there is none.
  public var highDynamicRangeFile: File?
  /// With a file for high dynamic range: how many times as bright as white the brightest parts may become.
  public var headroom: Double?

  /// The image in one format: an encoded file, or a URL at which an image service makes it, or both.
  public struct File: Sendable, Hashable {
    /// Its place in ``Catalog/formats``; nil for the source's own URL, where an image service can't make the image.
    public var format: Int?
    /// Relative to the catalog. What is behind a name never changes. Nil if there is no file.
    public var path: String?
    /// Of an image service; nil if there is only a file.
    public var url: String?
    /// The media type.
    public var type: String
    /// The file's size; nil if there is no file. Of the source's own URL the source's, if it is known.
    public var bytes: Int?
    /// Whether it is a still of an animation.
    public var isStill: Bool
    /// Only in catalogs of the `full` profile: SHA-256 of the file, in hexadecimal.
    public var sha256: String?
    /// Only in catalogs of the `full` profile, and if it was found for this image: the encoder's quality.
    public var quality: Int?
    /// With ``quality``: the SSIMULACRA 2.1 score that the image has at it, rounded, where it was found. 100 means identical.
    public var score: Int?

    /// A file by its members.
    public init(
      format: Int?, path: String? = nil, url: String? = nil, type: String, bytes: Int? = nil,
      isStill: Bool = false, sha256: String? = nil, quality: Int? = nil, score: Int? = nil
    ) {
      self.format = format
      self.path = path
      self.url = url
      self.type = type
      self.bytes = bytes
      self.isStill = isStill
      self.sha256 = sha256
      self.quality = quality
      self.score = score
    }

    /// What is fetched, and what caches know it by: the URL if there is one, or else the path.
    package var reference: String { url ?? path ?? "" }
  }

  /// A variant by its members.
  public init(
    width: Int, height: Int, crop: String? = nil, fallback: String? = nil, files: [File],
    highDynamicRangeFile: File? = nil, headroom: Double? = nil
  ) {
    self.width = width
    self.height = height
    self.crop = crop
    self.fallback = fallback
    self.files = files
    self.highDynamicRangeFile = highDynamicRangeFile
    self.headroom = headroom
  }

  /// All files, also that for high dynamic range.
  package var allFiles: [File] { files + (highDynamicRangeFile.map { [$0] } ?? []) }

  /// What is fetched of the preferred format.
  package var reference: String { files.first?.reference ?? "" }

  /// The first file in a format that the client supports; nil if there is none.
  ///
  /// - Parameter types: the media types that the client supports.
  package func file(accepting types: Set<String>) -> File? {
    files.first { types.contains($0.type) }
  }
}
