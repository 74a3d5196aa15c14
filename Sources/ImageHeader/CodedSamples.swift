/// What a file says of its samples that decoders do not apply.
package struct CodedSamples: Sendable, Equatable {
  /// Code points of the primaries and the transfer (ITU-T H.273); nil if none are stated.
  package var primaries: Int?
  package var transfer: Int?
  /// Whether an AVIF names a layer or an operating point, which libheif 1.15 ignores.
  package var hasLayers = false
  /// Whether an AVIF has luma only.
  package var isMonochrome = false
  /// Whether black and white of a grey image are 16 and 235 (of 8 bits, and likewise of more).
  package var hasLimitedGrey = false
  /// Whether what is transparent and opaque is likewise.
  package var hasLimitedAlpha = false
  /// Of TIFF: what the samples mean (PhotometricInterpretation, tag 262), and how they are compressed (tag 259).
  package var photometric: Int?
  package var compression: Int?

  /// What to write into an AVIF, HEIC or SVG so that libheif 1.15 and librsvg 2.54 show it as browsers do, from the
  /// front to the back.
  package var edits: [Edit] = []

  package init() {}

  /// Bytes that take the place of others.
  package struct Edit: Sendable, Equatable {
    package var range: Range<Int>
    package var bytes: [UInt8]

    /// In place of as many.
    init(at offset: Int, _ bytes: [UInt8]) {
      (range, self.bytes) = (offset..<offset + bytes.count, bytes)
    }

    /// Before what is at an offset.
    init(before offset: Int, _ text: String) {
      (range, bytes) = (offset..<offset, Array(text.utf8))
    }
  }
}
