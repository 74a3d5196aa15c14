internal import TesseraJSON

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
