/// The header of a source whose bytes were not fetched: a layout run reads no more.
package struct HeaderRecord: Sendable, Equatable {
  package var format: String
  /// Displayed pixels.
  package var width: Int
  package var height: Int
  package var hasAlpha: Bool
  /// Nil if the header does not say.
  package var isAnimated: Bool?
  /// Nil if they were not counted.
  package var frames: Int?
  /// The source's size in bytes; nil if the server did not say.
  package var bytes: Int?
  package var confirmation: Confirmation
  /// The URL after redirects, without secrets: the validators belong to it.
  package var place: String?

  package init(
    format: String, width: Int, height: Int, hasAlpha: Bool, isAnimated: Bool?,
    frames: Int? = nil, bytes: Int? = nil, confirmation: Confirmation, place: String? = nil
  ) {
    self.format = format
    self.width = width
    self.height = height
    self.hasAlpha = hasAlpha
    self.isAnimated = isAnimated
    self.frames = frames
    self.bytes = bytes
    self.confirmation = confirmation
    self.place = place
  }
}

extension HeaderRecord: MarkedRecord {
  static let table = "headers"
  static let key = "key"
  static let columns =
    Confirmation.columns + [
      "format", "width", "height", "alpha", "animated", "place", "frames", "bytes",
    ]

  /// No image format has sides of more than 31 bits.
  private static let sides = 1...0x7FFF_FFFF

  init?(_ row: Statement.Row) {
    self.init(
      format: row.text(5), width: row.int(6), height: row.int(7), hasAlpha: row.int(8) != 0,
      isAnimated: row.optionalInt(9).map { $0 != 0 }, frames: row.optionalInt(11),
      bytes: row.optionalInt(12), confirmation: Confirmation(row), place: row.optionalText(10))
    // Sizes are computed with.
    guard Self.sides.contains(width), Self.sides.contains(height) else { return nil }
  }

  var values: [Statement.Value] {
    confirmation.values + [
      .text(format), .int(width), .int(height), .bool(hasAlpha), .optional(isAnimated),
      .optional(place), .optional(frames), .optional(bytes),
    ]
  }
}
