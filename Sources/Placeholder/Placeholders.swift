/// What can be shown of a picture before its file is there. All kinds are made whichever are asked for:
/// they cost next to nothing beside the decode.
package struct Placeholders: Sendable, Equatable {
  /// `#rrggbb`; nil where nothing of the picture can be seen.
  package var color: String?
  /// In Base64.
  package var thumbHash: String
  package var blurHash: String
  /// A tiny picture as a `data:` URL.
  package var lqip: String

  package init(color: String?, thumbHash: String, blurHash: String, lqip: String) {
    self.color = color
    self.thumbHash = thumbHash
    self.blurHash = blurHash
    self.lqip = lqip
  }
}
