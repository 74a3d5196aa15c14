extension Catalog {
  /// The URL of the patch that leads from this catalog to the current one. A run writes it beside `catalog.json`; there is none
  /// for a catalog that is too old, or that was never published.
  ///
  /// - Parameter source: the URL of the catalog. Its query and its fragment are left out, as in the URLs of files.
  /// - Returns: nil if the catalog has no ``digest`` of 64 hexadecimal digits.
  public func patchURL(from source: String) -> String? {
    guard let digest, digest.utf8.count == 64,
      digest.utf8.allSatisfy({ (0x30...0x39).contains($0) || (0x61...0x66).contains($0) })
    else { return nil }
    return CatalogContext.resolve("from-\(digest).json", against: source)
  }

  /// The catalog that a patch leads to, if that is certain: the patch is for this catalog, and the result has the digest that
  /// the patch states. This catalog, without work, if the patch states that it is the current one.
  ///
  /// - Parameters:
  ///   - bytes: what ``patchURL(from:)`` returned.
  ///   - sha256: the hash function that the app has; its 32 bytes.
  /// - Returns: nil if the whole catalog has to be fetched: the bytes are not a patch, or one for another catalog, or the catalog
  ///   has members that this version does not know.
  public func patched(
    by bytes: some Sequence<UInt8>, sha256: (_ bytes: [UInt8]) -> some Sequence<UInt8>
  ) -> Catalog? {
    do throws(CatalogError) {
      let patch = try CatalogPatch(reading: bytes)
      guard let digest, patch.from == digest, let to = patch.to else { return nil }
      if to == digest { return self }
      let new = try patch.applied(to: self)
      return new.digest == to && new.contentDigest(sha256) == to ? new : nil
    } catch {
      return nil
    }
  }
}

extension Catalog {
  /// Reads a whole catalog, JSON or JSON Lines, and verifies its digest.
  ///
  /// - Parameters:
  ///   - bytes: of the document.
  ///   - sha256: the hash function that the app has; its 32 bytes.
  /// - Throws: ``CatalogError`` as ``init(reading:skipping:)``, and if the catalog's ``digest`` is another than it states. One
  ///   that states none is not verified.
  public init(
    reading bytes: some Collection<UInt8>,
    verifiedBy sha256: (_ bytes: [UInt8]) -> some Sequence<UInt8>
  ) throws(CatalogError) {
    let form = CanonicalBytes()
    var reader = CatalogReader { form.bytes += $0 }
    var images: [CatalogImage] = []
    var rest = bytes[...]
    while !rest.isEmpty {
      reader.add(rest.prefix(1 << 16))
      rest = rest.dropFirst(1 << 16)
      while let image = try reader.next() { images.append(image) }
    }
    try reader.finish()
    guard var catalog = reader.head else {
      throw CatalogError(line: 1, column: 1, member: "", message: "expected a catalog")
    }
    let digest = Self.hexadecimal(sha256(form.bytes))
    if let stated = catalog.digest, stated != digest {
      throw CatalogError(
        line: 1, column: 1, member: "digest",
        message: "the catalog was altered: its digest is \(digest), and it states \(stated)")
    }
    catalog.images = images
    self = catalog
  }
}

/// The canonical form of a catalog while it is read.
///
/// `@unchecked Sendable`: a reader passes the bytes on where it is called, and no other thread has it.
private final class CanonicalBytes: @unchecked Sendable {
  var bytes: [UInt8] = []
}
