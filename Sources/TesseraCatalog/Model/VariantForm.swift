internal import TesseraJSON

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
