/// What of a source's metadata goes into the files made of it.
///
/// Whatever the policy: an orientation that is no longer true, embedded previews, makers' private notes,
/// which hold more of them, and other blocks within Exif are left out. XMP is kept as a whole, and left out
/// as a whole where it tells a place that is not to be kept, or holds a preview.
package struct MetadataPolicy: OptionSet, Sendable, Hashable {
  package let rawValue: Int

  package init(rawValue: Int) { self.rawValue = rawValue }

  /// The colour profile; without it colours are converted to sRGB.
  package static let icc = MetadataPolicy(rawValue: 1)
  package static let exif = MetadataPolicy(rawValue: 2)
  package static let xmp = MetadataPolicy(rawValue: 4)
  package static let iptc = MetadataPolicy(rawValue: 8)
  /// Where the picture was taken.
  package static let location = MetadataPolicy(rawValue: 16)

  /// Nothing.
  package static let strip: MetadataPolicy = []
  /// Everything but the location, which has to be asked for.
  package static let keep: MetadataPolicy = [.icc, .exif, .xmp, .iptc]

  /// The kinds that can be asked for, as the pipeline file spells them. Who asks for `exif` asks for all
  /// of it.
  package static let named: [(name: String, policy: MetadataPolicy)] = [
    ("icc", .icc), ("exif", [.exif, .location]), ("xmp", .xmp), ("iptc", .iptc),
  ]
}

extension MetadataPolicy: CustomStringConvertible {
  /// `strip`, or what is kept: `keep icc exif`.
  package var description: String {
    let parts: [(String, MetadataPolicy)] = [
      ("icc", .icc), ("exif", .exif), ("xmp", .xmp), ("iptc", .iptc), ("location", .location),
    ]
    let kept = parts.filter { contains($0.1) }.map(\.0)
    return kept.isEmpty ? "strip" : "keep " + kept.joined(separator: " ")
  }
}
