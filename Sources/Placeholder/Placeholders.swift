/// What a client can show of an image before its file arrives. The worker always computes all
/// kinds: they cost next to nothing compared with decoding.
package struct Placeholders: Sendable, Equatable {
  /// `#rrggbb`; nil if the image is fully transparent.
  package var color: String?
  /// In Base64.
  package var thumbHash: String
  package var blurHash: String
  /// A tiny image as a `data:` URL.
  package var lqip: String

  package init(color: String?, thumbHash: String, blurHash: String, lqip: String) {
    self.color = color
    self.thumbHash = thumbHash
    self.blurHash = blurHash
    self.lqip = lqip
  }
}
