/// What a client can show of an image before its file arrives, by kind.
package struct Placeholders: Sendable, Equatable {
  /// As pipeline files, catalogs and the state's columns name it. New kinds come last, because the order decides the
  /// marks of records.
  package enum Kind: String, Sendable, Codable, CodingKey, CaseIterable {
    /// `#rrggbb`. It is always made, unless the image is fully transparent.
    case color
    /// In Base64.
    case thumbhash
    case blurhash
    /// A tiny image as a `data:` URL.
    case lqip
    /// A number from which a style sheet draws; see ``CSSPlaceholder``.
    case css
  }

  private var texts: [Kind: String]

  package init(_ texts: [Kind: String] = [:]) { self.texts = texts }

  /// Nil if the kind was not made.
  package subscript(kind: Kind) -> String? {
    get { texts[kind] }
    set { texts[kind] = newValue }
  }

  /// Whether all these kinds were made.
  package func has(_ kinds: [Kind]) -> Bool {
    kinds.allSatisfy { $0 == .color || texts[$0] != nil }
  }
}

/// An object with a member for each kind that was made.
extension Placeholders: Codable {
  package init(from decoder: any Decoder) throws {
    let members = try decoder.container(keyedBy: Kind.self)
    texts = [:]
    for kind in Kind.allCases {
      texts[kind] = try members.decodeIfPresent(String.self, forKey: kind)
    }
  }

  package func encode(to encoder: any Encoder) throws {
    var members = encoder.container(keyedBy: Kind.self)
    for kind in Kind.allCases { try members.encodeIfPresent(texts[kind], forKey: kind) }
  }
}
