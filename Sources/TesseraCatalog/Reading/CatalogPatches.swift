internal import TesseraJSON

/// The patches of a screen, `screens/feed/from-….json`: from pages that an app has, of an earlier catalog, to pages of the
/// current one. A page that is new and has no patch is fetched as a whole.
///
///     if let patch = patches.patch(to: page.digest), let old = stored[patch.from ?? ""] {
///       let new = try patch.applied(to: old)
///     }
public struct CatalogPatches: Sendable {
  /// The document's schema and major version.
  public static let schema = "tessera-catalog-patches/1"

  /// The digest of the earlier catalog (``CatalogPages/digest``).
  public let from: String
  /// The digest of the current one.
  public let to: String
  /// Each leads from one page to another, by their digests.
  public let patches: [CatalogPatch]
  /// Where they are, by the digests that they lead to.
  private let places: [String: Int]

  /// - Throws: ``CatalogError`` if the bytes are not such a document.
  public init(reading bytes: some Sequence<UInt8>) throws(CatalogError) {
    var buffer = CatalogBuffer()
    buffer.append(bytes)
    var scanner = buffer.scanner
    var found = (from: String?.none, to: String?.none, patches: [CatalogPatch]?.none, isOurs: false)
    try buffer.located { () throws(JSONScanner.Failure) in
      try scanner.object { scanner, name throws(JSONScanner.Failure) in
        switch name {
        case "schema": found.isOurs = try scanner.string() == Self.schema
        case "from": found.from = try scanner.string()
        case "to": found.to = try scanner.string()
        case "patches":
          var patches: [CatalogPatch] = []
          try scanner.array { scanner throws(JSONScanner.Failure) in
            patches.append(try CatalogPatch.read(from: &scanner))
          }
          found.patches = patches
        default: try scanner.skip()
        }
      }
      try scanner.expectEnd(of: "the patches")
    }
    guard found.isOurs, let from = found.from, let to = found.to, let patches = found.patches
    else { throw buffer.error("expected \"\(Self.schema)\" with from, to and patches") }
    (self.from, self.to, self.patches) = (from, to, patches)
    let pairs = patches.enumerated().compactMap { place, patch in patch.to.map { ($0, place) } }
    places = Dictionary(pairs) { first, _ in first }
  }

  /// The patch that leads to a page; nil if there is none.
  public func patch(to digest: String) -> CatalogPatch? { places[digest].map { patches[$0] } }
}

extension JSONScanner {
  /// - Parameter document: such as "the patch".
  mutating func expectEnd(of document: String) throws(Failure) {
    guard isAtEnd() else {
      throw Failure(offset: offset, message: "expected nothing after \(document)")
    }
  }
}
