/// What a file says of its samples that decoders do not apply.
package struct CodedSamples: Sendable, Equatable {
  /// Code points of the primaries and the transfer (ITU-T H.273); nil if none are stated.
  package var primaries: Int?
  package var transfer: Int?
  /// Whether black and white of a grey image are 16 and 235 (of 8 bits, and likewise of more).
  package var hasLimitedGrey = false
  /// Whether what is transparent and opaque is likewise.
  package var hasLimitedAlpha = false
  /// Whether a JPEG 2000 image has indices of a palette (ISO/IEC 15444-1, I.5.3.4).
  package var hasPalette = false
  /// Of TIFF: what the samples mean (PhotometricInterpretation, tag 262), and how they are compressed (tag 259).
  package var photometric: Int?
  package var compression: Int?

  package init() {}
}
