internal import TesseraJSON

extension CatalogImage {
  /// Reads one image: a line of a catalog without its comma, or a row of a database.
  ///
  /// - Parameters:
  ///   - line: JSON, in UTF-8.
  ///   - formats: of the head of the catalog (``Catalog/formats``).
  /// - Throws: ``CatalogError``, which states the column, the member and the reason.
  public init(reading line: [UInt8], _ formats: [CatalogFormat]) throws(CatalogError) {
    try self.init(reading: line, line.indices, formats)
  }

  /// - Parameter text: where the image is in the bytes.
  init(
    reading bytes: [UInt8], _ text: Range<Int>, _ formats: [CatalogFormat]
  ) throws(CatalogError) {
    var scanner = JSONScanner(bytes, text)
    do throws(JSONScanner.Failure) {
      self = try CatalogImage.read(from: &scanner)
      guard scanner.isAtEnd() else {
        throw JSONScanner.Failure(
          offset: scanner.offset, message: "expected nothing after the image")
      }
      try resolve(formats, at: text.lowerBound)
    } catch {
      throw CatalogError(error, from: text.lowerBound)
    }
  }

  /// Gives files their names. A catalog may come from anywhere, and apps join its paths to URLs and folders: a path is one that
  /// a run makes, which leads nowhere else, and a URL is one of the web.
  private mutating func resolve(
    _ formats: [CatalogFormat], at offset: Int
  ) throws(JSONScanner.Failure) {
    if let source, !FileName.isSource(source) {
      throw JSONScanner.Failure(
        offset: offset, message: "expected 32 hexadecimal digits, found \"\(source.prefix(80))\""
      ).within("source")
    }
    guard let forms else { return }
    if source == nil, forms.contains(where: { $0.bytes?.contains { $0 != nil } ?? false }) {
      throw JSONScanner.Failure(offset: offset, message: "\"source\" is missing")
    }
    self.forms = nil
    variants.reserveCapacity(forms.count)
    for (place, form) in forms.enumerated() {
      do throws(JSONScanner.Failure) {
        variants.append(try form.variant(source: source, formats: formats, at: offset))
      } catch {
        throw error.within("[\(place)]").within("variants")
      }
    }
  }
}

extension CatalogError {
  /// - Parameter start: where the line begins.
  init(_ failure: JSONScanner.Failure, from start: Int = 0) {
    self.init(
      line: 1, column: failure.offset - start + 1, member: failure.member,
      message: failure.message)
  }
}

extension Catalog {
  /// Reads everything but the images, as a database has it.
  ///
  /// - Parameter object: a JSON object.
  /// - Throws: ``CatalogError``, which states the column, the member and the reason.
  public init(readingHead object: [UInt8]) throws(CatalogError) {
    self = try Self.head(reading: object).head
  }

  /// - Returns: the number of images that it states, too; nil if it states none.
  static func head(
    reading object: [UInt8]
  ) throws(CatalogError) -> (head: Catalog, count: Int?) {
    var (head, count) = (Catalog.blank, Int?.none)
    do throws(JSONScanner.Failure) {
      var reader = try MemberReader(object: JSONScanner(object))
      try reader.read(&head) { reader, head throws(JSONScanner.Failure) in
        try Catalog.headMembers(&reader, &head)
        try reader.optional("count", &count)
      }
      try head.check(reader.seen)
    } catch {
      throw CatalogError(error)
    }
    return (head, count)
  }

  private func check(_ seen: SeenMembers) throws(JSONScanner.Failure) {
    func fail(_ member: String, _ message: String) -> JSONScanner.Failure {
      JSONScanner.Failure(offset: 0, message: message).within(member)
    }
    var (head, missing) = (self, MissingMember(seen: seen))
    Catalog.headMembers(&missing, &head)
    // First: a document of another version may lack members of this one.
    if missing.name != "schema", schema != Catalog.schema {
      throw fail(
        "schema",
        "expected \"\(Catalog.schema)\", the only version that this library reads, found \"\(schema)\""
      )
    }
    if let name = missing.name {
      throw JSONScanner.Failure(offset: 0, message: "\"\(name)\" is missing")
    }
    do throws(JSONScanner.Failure) {
      try checkTablePaths(at: 0)
    } catch {
      throw error.within("tables")
    }
    if let baseURL, !CatalogVariant.isBase(baseURL) {
      throw fail(
        "baseURL",
        "expected a URL that begins with http:// or https://, or one without a scheme, found \"\(baseURL.prefix(80))\""
      )
    }
    for (place, format) in formats.enumerated() {
      for (member, isRight, expected) in [
        (
          "extension", format.fileExtension.map(FileName.isExtension) ?? true,
          "an extension such as webp"
        ),
        ("recipe", format.recipe.map(FileName.isRecipe) ?? true, "16 hexadecimal digits"),
      ] where !isRight {
        throw JSONScanner.Failure(offset: 0, message: "expected \(expected)").within(member)
          .within("[\(place)]").within("formats")
      }
    }
    for (place, part) in (parts ?? []).enumerated() where !CatalogScreen.isPart(part) {
      throw fail(
        "[\(place)]",
        "expected a path such as screens/feed/3f9c….json, found \"\(part.prefix(80))\""
      ).within("parts")
    }
  }
}
