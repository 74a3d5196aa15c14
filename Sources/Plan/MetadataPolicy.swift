/// Which metadata of a source its files keep.
///
/// No policy keeps the orientation, which no longer applies, embedded previews, makers' notes,
/// which hold more previews, or other blocks within Exif. XMP is kept or removed as a whole: it is
/// removed if it contains a preview, or a location that the policy does not keep.
package struct MetadataPolicy: OptionSet, Sendable, Hashable, Codable {
  package let rawValue: Int

  package init(rawValue: Int) { self.rawValue = rawValue }

  /// The colour profile. Without it, colours are converted to sRGB.
  package static let icc = MetadataPolicy(rawValue: 1)
  package static let exif = MetadataPolicy(rawValue: 2)
  package static let xmp = MetadataPolicy(rawValue: 4)
  package static let iptc = MetadataPolicy(rawValue: 8)
  /// Where the image was taken.
  package static let location = MetadataPolicy(rawValue: 16)

  /// Nothing.
  package static let strip: MetadataPolicy = []
  /// Everything but the location, which must be configured explicitly.
  package static let keep: MetadataPolicy = [.icc, .exif, .xmp, .iptc]

  /// The kinds by their names in the pipeline file. `exif` includes the location.
  package static let named: [(name: String, policy: MetadataPolicy)] = [
    ("icc", .icc), ("exif", [.exif, .location]), ("xmp", .xmp), ("iptc", .iptc),
  ]
}

extension MetadataPolicy: CustomStringConvertible {
  /// `strip`, or `keep` and the kinds: `keep icc exif`. Part of ``PlannedFile/recipe``.
  package var description: String {
    let parts: [(String, MetadataPolicy)] = [
      ("icc", .icc), ("exif", .exif), ("xmp", .xmp), ("iptc", .iptc), ("location", .location),
    ]
    // Not `named`: the location is listed by itself, since a policy may have Exif without it.
    let kept = parts.filter { contains($0.1) }.map(\.0)
    return kept.isEmpty ? "strip" : "keep " + kept.joined(separator: " ")
  }
}
