/// What a client can show of an image before its file arrives: the configured kinds, and the
/// colour. A kind is nil if it was not made.
package struct Placeholders: Sendable, Equatable, Codable {
  package enum Kind: String, Sendable, Codable, CaseIterable {
    case color, thumbhash, blurhash, lqip
  }

  /// `#rrggbb`; nil also if the image is fully transparent.
  package var color: String?
  /// In Base64.
  package var thumbHash: String?
  package var blurHash: String?
  /// A tiny image as a `data:` URL.
  package var lqip: String?

  package init(
    color: String? = nil, thumbHash: String? = nil, blurHash: String? = nil, lqip: String? = nil
  ) {
    self.color = color
    self.thumbHash = thumbHash
    self.blurHash = blurHash
    self.lqip = lqip
  }

  /// Whether all these kinds were made. The colour always is.
  package func has(_ kinds: [Kind]) -> Bool {
    kinds.allSatisfy { kind in
      switch kind {
      case .color: true
      case .thumbhash: thumbHash != nil
      case .blurhash: blurHash != nil
      case .lqip: lqip != nil
      }
    }
  }
}
