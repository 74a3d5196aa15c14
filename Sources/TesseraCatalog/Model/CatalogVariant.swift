internal import TesseraJSON
internal import TesseraText

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

/// A variant as it is written: what its files have in common with those of other variants is in the head.
///
///     {"width":192,"height":256,"bytes":[7020,9120]}
///
/// Arrays have a value for each format of ``Catalog/formats``, null for those that the variant does not have; nulls at the end are
/// left out. A file exists where ``bytes`` has a number, and ``FileName`` says where.
struct VariantForm: Sendable, Hashable {
  var width = 0
  var height = 0
  var crop: String?
  var fallback: String?
  var bytes: [Int?]?
  /// Of an image service.
  var urls: [String?]?
  /// The places of formats whose file is a still of an animation.
  var stills: [Int]?
  var original: Original?
  var headroom: Double?
  var sha256: [String?]?
  var quality: [Int?]?
  var score: [Int?]?

  /// The source's own URL.
  struct Original: Sendable, Hashable {
    var url: String
    var type: String
    var bytes: Int?
  }
}

extension VariantForm: CatalogRecord {
  static var blank: Self { Self() }

  static func members<Visitor: MemberVisitor & ~Copyable>(
    _ visitor: inout Visitor, _ form: inout Self
  ) throws(Visitor.Failure) {
    try visitor.required("width", &form.width)
    try visitor.required("height", &form.height)
    try visitor.optional("crop", &form.crop)
    try visitor.optional("fallback", &form.fallback)
    try visitor.optional("bytes", &form.bytes)
    try visitor.optional("urls", &form.urls)
    try visitor.optional("stills", &form.stills)
    try visitor.optional("original", &form.original)
    try visitor.optional("headroom", &form.headroom)
    try visitor.optional("sha256", &form.sha256)
    try visitor.optional("quality", &form.quality)
    try visitor.optional("score", &form.score)
  }
}

extension VariantForm.Original: CatalogRecord {
  static var blank: Self { Self(url: "", type: "") }

  static func members<Visitor: MemberVisitor & ~Copyable>(
    _ visitor: inout Visitor, _ original: inout Self
  ) throws(Visitor.Failure) {
    try visitor.required("url", &original.url)
    try visitor.required("type", &original.type)
    try visitor.optional("bytes", &original.bytes)
  }
}

extension VariantForm {
  init(_ variant: CatalogVariant) {
    (width, height, crop) = (variant.width, variant.height, variant.crop)
    (fallback, headroom) = (variant.fallback, variant.headroom)
    let files = variant.allFiles
    if let file = files.first(where: { $0.format == nil }) {
      original = Original(url: file.url ?? "", type: file.type, bytes: file.bytes)
    }
    let made = files.filter { $0.format != nil }
    bytes = Self.row(made) { $0.path == nil ? nil : $0.bytes }
    urls = Self.row(made, \.url)
    let stills = made.filter(\.isStill).compactMap(\.format).sorted()
    self.stills = stills.isEmpty ? nil : stills
    sha256 = Self.row(made, \.sha256)
    quality = Self.row(made, \.quality)
    score = Self.row(made, \.score)
  }

  /// Nil if no file has a value.
  private static func row<Value>(
    _ files: [CatalogVariant.File], _ value: (CatalogVariant.File) -> Value?
  ) -> [Value?]? {
    var row: [Value?] = []
    for file in files {
      guard let place = file.format, let value = value(file) else { continue }
      while row.count <= place { row.append(nil) }
      row[place] = value
    }
    return row.isEmpty ? nil : row
  }

  /// The variant, with the names of its files.
  ///
  /// - Parameters:
  ///   - source: of the image; there is one if a variant has ``bytes``.
  ///   - formats: of the catalog.
  ///   - offset: of the image, for an error.
  func variant(
    source: String?, formats: [CatalogFormat], at offset: Int
  ) throws(JSONScanner.Failure) -> CatalogVariant {
    func failure(_ message: String, _ members: [String]) -> JSONScanner.Failure {
      members.reduce(JSONScanner.Failure(offset: offset, message: message)) { $0.within($1) }
    }
    func check(_ url: String, _ members: [String]) throws(JSONScanner.Failure) {
      guard !CatalogVariant.isURL(url) else { return }
      let expected = "expected a URL that begins with http:// or https://"
      throw failure("\(expected), found \"\(url.prefix(80))\"", members)
    }
    if let crop, !FileName.isCrop(crop) {
      throw failure("expected 8 hexadecimal digits, found \"\(crop.prefix(80))\"", ["crop"])
    }
    for (member, count) in [
      ("bytes", bytes?.count), ("urls", urls?.count), ("sha256", sha256?.count),
      ("quality", quality?.count), ("score", score?.count),
    ] where count ?? 0 > formats.count {
      throw failure("expected at most a value for each of the \(formats.count) formats", [member])
    }
    var variant = CatalogVariant(
      width: width, height: height, crop: crop, fallback: fallback, files: [], headroom: headroom)
    for (place, format) in formats.enumerated() {
      guard let file = file(place, format, source: source) else { continue }
      if let url = file.url { try check(url, ["[\(place)]", "urls"]) }
      // A later version may have other ranges: nothing of this one shows their files.
      if format.isHigh { variant.highDynamicRangeFile = file }
      if format.dynamicRange == nil { variant.files.append(file) }
    }
    if let original {
      try check(original.url, ["url", "original"])
      variant.files.append(
        .init(format: nil, url: original.url, type: original.type, bytes: original.bytes))
    }
    if variant.files.isEmpty { throw failure("a variant has at least one file or URL", []) }
    return variant
  }

  /// Nil if the variant does not have the format.
  private func file(
    _ place: Int, _ format: CatalogFormat, source: String?
  ) -> CatalogVariant.File? {
    var file = CatalogVariant.File(
      format: place, url: value(of: urls, place), type: format.type,
      isStill: stills?.contains(place) ?? false, sha256: value(of: sha256, place),
      quality: value(of: quality, place), score: value(of: score, place))
    // Without a recipe in the head, a file has no name.
    if let bytes = value(of: bytes, place), let source, let recipe = format.recipe,
      let ending = format.fileExtension
    {
      file.bytes = bytes
      file.path = FileName.path(
        source: source, width: width, height: height, crop: crop, recipe: recipe,
        fileExtension: ending)
    }
    return file.path == nil && file.url == nil ? nil : file
  }

  private func value<Value>(of row: [Value?]?, _ place: Int) -> Value? {
    guard let row, place < row.count else { return nil }
    return row[place]
  }
}

extension CatalogVariant {
  /// Whether an app may request it as it is: an absolute http(s) URL without blanks, control characters and what
  /// would end it in a page.
  static func isURL(_ text: String) -> Bool {
    let isWeb = ["http://", "https://"].contains {
      text.begins(with: $0) && text.utf8.count > $0.utf8.count
    }
    return isWeb
      && text.unicodeScalars.allSatisfy {
        $0.value > 0x20 && !(0x7F...0x9F).contains($0.value)
          && !"\"<>\\".unicodeScalars.contains($0)
      }
  }

  /// Whether paths may be joined to it: a URL of the web, or one without a scheme, which is relative to the catalog's.
  static func isBase(_ text: String) -> Bool {
    let hasScheme = text.prefix { $0 != "/" }.contains(":")
    return hasScheme ? isURL(text) : text.isEmpty || isURL("http://\(text)")
  }
}
