package import TesseraJSON
internal import TesseraText

/// The exports of shop systems, by the columns that their documentation names.
enum ShopExport {
  private struct System {
    let name: String
    /// Columns without which a table is not of this system.
    let required: [String]
    let url: [String]
    let id: String
    let alt: [String]
    /// What says whether a product is published.
    var published: [String] = []
    /// Whether only the first row of a product says it.
    var joinsRows = false
    /// Nil for one URL in a field.
    var separator: String?
    /// For systems whose images are paths.
    var prefix: String?
  }

  private static let systems = [
    System(
      name: "a Shopify export", required: ["Handle", "Image Src"], url: ["Image Src"],
      id: "Handle", alt: ["Image Alt Text", "Title"], published: ["Published", "Status"],
      joinsRows: true),
    // The names since 2025.
    System(
      name: "a Shopify export", required: ["URL handle", "Product image URL"],
      url: ["Product image URL"], id: "URL handle", alt: ["Image alt text", "Title"],
      published: ["Published on online store", "Status"], joinsRows: true),
    System(
      name: "a WooCommerce export", required: ["ID", "SKU", "Images"], url: ["Images"], id: "ID",
      alt: ["Name"], published: ["Published"], separator: ","),
    System(
      name: "a Magento export", required: ["sku", "base_image"],
      url: ["base_image", "additional_images"], id: "sku", alt: ["base_image_label", "name"],
      published: ["product_online"], separator: ",",
      prefix: "https://shop.example.com/media/catalog/product"),
    System(
      name: "a Google Merchant feed", required: ["id", "image_link"],
      url: ["image_link", "additional_image_link"], id: "id", alt: ["title"], separator: ","),
    // As Merchant Center writes them.
    System(
      name: "a Google Merchant feed", required: ["id", "image link"],
      url: ["image link", "additional image link"], id: "id", alt: ["title"], separator: ","),
  ]

  /// Columns that have one URL by the documentation of the system, in lower case, although others of the same table have several.
  private static let ofOneURL: Set = ["image_link", "image link", "base_image"]

  /// Whether a column, or the member that a path leads to, has one URL, and never a separator.
  static func hasOneURL(_ place: String) -> Bool {
    let name = place.split(separator: ".").last ?? ""
    let local = name.split(separator: ":").last ?? ""
    return ofOneURL.contains(local.lowercased())
  }

  /// The system whose export a header row is of, and the mapping for it; nil for others.
  static func recognized(_ names: [String]) -> (name: String, columns: ColumnMapping)? {
    found(names).map { ($0.system.name, $0.columns) }
  }

  /// What a mapping of such an export lacks, so that images of what is not published may become public; nil for nothing. An empty
  /// list of `published` is a decision.
  static func unheeded(_ names: [String], _ mapping: ColumnMapping) -> ColumnMapping? {
    guard let (system, columns) = found(names), columns.joinsRows else { return nil }
    var lacking = ColumnMapping()
    if mapping.columns[.published] == nil {
      lacking.columns[.published] = columns.places(of: .published)
    }
    let decidesNothing = mapping.columns[.published] == []
    if system.joinsRows, !decidesNothing,
      !mapping.places(of: .id).contains(where: { $0.lowercased() == system.id.lowercased() })
    {
      lacking.columns[.id] = columns.places(of: .id)
    }
    return lacking.columns.isEmpty ? nil : lacking
  }

  private static func found(_ names: [String]) -> (system: System, columns: ColumnMapping)? {
    let spelled = Dictionary(names.map { ($0.lowercased(), $0) }) { first, _ in first }
    func there(_ places: [String]) -> [String] { places.compactMap { spelled[$0.lowercased()] } }
    for system in systems where there(system.required).count == system.required.count {
      var columns: [ColumnMapping.Member: [String]] = [
        .url: there(system.url), .id: there([system.id]),
      ]
      for (member, places) in [
        (ColumnMapping.Member.alt, system.alt), (.published, system.published),
      ] {
        let found = there(places)
        if !found.isEmpty { columns[member] = found }
      }
      return (
        system,
        ColumnMapping(columns, separator: system.separator, prefix: system.prefix)
      )
    }
    return nil
  }
}

extension ColumnMapping {
  /// The mapping as a line of a pipeline file: `{url: Image Src, id: Handle}`.
  package var yaml: String { json.yaml }
}

/// Where the lines of a list have what Tessera needs of an image: the names of a table's columns, or the paths of members of
/// JSON (`images[0].src`).
///
/// With a mapping, several images of one row, and rows with one id, are items of their own: see ``ManifestEntry/sharesID``.
package struct ColumnMapping: Sendable, Equatable {
  /// What a list may say of an image. The names are those of members of JSON Lines and of columns.
  package enum Member: String, Sendable, CaseIterable {
    case url, id, alt, slots, focus, views
    /// Whether the image may be shown at all. Only a mapping can name it: in other lists the word may mean anything.
    case published
  }

  /// Columns or paths. Of `url` and `published` all count, and of the others the first that is not empty. An empty list of
  /// `published` says that all images may be shown.
  package var columns: [Member: [String]]
  /// What is between several URLs in one field; nil for one URL in a field. After a backslash it is a part of a URL.
  package var separator: String?
  /// What is put before a URL without a scheme, as it is; nil for nothing.
  package var prefix: String?

  package init(
    _ columns: [Member: [String]] = [:], separator: String? = nil, prefix: String? = nil
  ) {
    (self.columns, self.separator, self.prefix) = (columns, separator, prefix)
  }

  /// For paths of which it is not known where the files are.
  package static let examplePrefix = "https://images.example.com/"

  /// Whether ``prefix`` is an example, which a person has to replace.
  package var hasExamplePrefix: Bool {
    prefix.map { SourceURL.isExample(host: SourceURL.hostAsWritten(of: $0)) } == true
  }

  /// Where a member is; by its own name if the mapping does not say.
  func places(of member: Member) -> [String] {
    columns[member] ?? (member == .published ? [] : [member.rawValue])
  }

  /// Whether a row may depend on what is in the row before.
  var joinsRows: Bool { !places(of: .published).isEmpty }

  /// The columns that the mapping names and a header row does not have, in any case; `url` if it has no column of URLs.
  func missing(in names: [String]) -> [String] {
    let there = Set(names.map { $0.lowercased() })
    let named = Member.allCases.flatMap { columns[$0] ?? ($0 == .url ? [$0.rawValue] : []) }
    return named.filter { !there.contains($0.lowercased()) }
  }

  /// The URLs that a field has.
  ///
  /// - Parameter place: the column or the path. Some have one URL by their definition.
  func urls(in field: String, of place: String = "") -> [String] {
    let separator = ShopExport.hasOneURL(place) ? nil : separator
    return URLSeparator.pieces(of: field.trimmed, separator).map { piece in
      guard let prefix, !piece.contains("://") else { return piece }
      // A name of a file may have any character; that of a file: URL has to be encoded.
      let isFile = prefix.hasPrefix("file:")
      return prefix + (isFile ? PercentEncoding.encode(piece, keeping: "/") : piece)
    }
  }

  /// The mapping as a pipeline file has it.
  package var json: JSONValue {
    var members = Member.allCases.compactMap { member in
      columns[member].map { places in
        JSONValue.Member(
          member.rawValue,
          places.count == 1 ? .string(places[0]) : .array(places.map { .string($0) }))
      }
    }
    if let separator { members.append(.init("separator", .string(separator))) }
    if let prefix { members.append(.init("prefix", .string(prefix))) }
    return .object(members)
  }
}
