internal import TesseraPlan

/// Which metadata of a source reaches its files.
extension Raster {
  /// The XMP packet; empty if there is none.
  var xmp: [UInt8] { blob(Self.xmpField).map { Array($0) } ?? [] }

  /// With the XMP packet examined, once for all outputs: its orientation is set to upright, and two
  /// fields record whether it states a location or contains a preview.
  func withXMPExamined() throws(VipsError) -> Raster {
    guard blob(Self.xmpField) != nil else { return self }
    let copy = try copy()
    let packet = copy.xmp
    let content = XMPPacket.content(of: packet)
    copy.set(Self.xmpField, XMPPacket.upright(packet))
    copy.set(Self.locationField, content.statesLocation ? Self.yes : Self.no)
    copy.set(Self.previewField, content.hasPreview ? Self.yes : Self.no)
    return copy
  }

  private static let locationField = "tessera-xmp-location"
  private static let previewField = "tessera-xmp-preview"
  /// Values of the two fields. `tessera_vips_number` reads positive numbers only.
  private static let (no, yes) = (1, 2)

  /// With the metadata that a policy keeps and no other. An animation also keeps what it needs: the
  /// height of its frames, their delays and the loop count.
  ///
  /// - Returns: the raster, and the kinds of metadata that it has, among those the policy keeps.
  func prepared(
    keeping policy: MetadataPolicy, isAnimation: Bool
  ) throws(VipsError) -> (Raster, MetadataPolicy) {
    let copy = try copy()
    let timing = isAnimation ? ["page-height", "n-pages", "delay", "loop"] : []
    let xmp = kindOfXMP
    var kept: MetadataPolicy = .strip
    try copy.keepFields { name in
      let kind = name == Self.xmpField ? xmp : Self.kind(ofField: name)
      guard let kind, policy.isSuperset(of: kind) else { return timing.contains(name) }
      kept.formUnion(kind)
      return true
    }
    // libvips writes the other Exif fields only if the block itself is there.
    if copy.blob(Self.exifField) == nil { kept.subtract([.exif, .location]) }
    if kept.contains(.exif), !kept.contains(.icc) { copy.setExifColourSpaceToSRGB() }
    if kept.contains(.iptc), let block = copy.blob(Self.iptcField) {
      let clean = IPTCBlock.clean(Array(block), keepsLocation: policy.contains(.location))
      if !copy.set(Self.iptcField, clean) { kept.subtract(.iptc) }
    }
    return (copy, kept.subtracting(.location))
  }

  /// What a policy must include for the XMP packet to be kept; nil if none keeps it. A packet that
  /// was not examined may contain anything.
  private var kindOfXMP: MetadataPolicy? {
    guard number(Self.previewField, otherwise: Self.yes) == Self.no else { return nil }
    return number(Self.locationField, otherwise: Self.yes) == Self.no ? .xmp : [.xmp, .location]
  }

  /// Makes Exif state the colour space of the samples, which were converted to sRGB.
  private func setExifColourSpaceToSRGB() {
    if hasField("exif-ifd2-ColorSpace") {
      set("exif-ifd2-ColorSpace", "1 (sRGB, Short, 1 components, 2 bytes)")
    }
    // "R03" there would state Adobe RGB (DCF 2.0).
    remove("exif-ifd4-InteroperabilityIndex")
  }

  /// The kind of metadata in a field other than XMP's; nil if no policy keeps it. libvips names
  /// Exif fields by directory: 0 the image, 1 the preview, 2 Exif itself, 3 GPS, 4
  /// interoperability.
  private static func kind(ofField name: String) -> MetadataPolicy? {
    switch name {
    case profileField: return .icc
    case iptcField: return .iptc
    case exifField: return .exif
    case _ where name.hasPrefix("exif-ifd1-"): return nil
    case _ where name.hasPrefix("exif-ifd3-"): return [.exif, .location]
    case _ where name.hasPrefix("exif-"):
      // Some tags hold whole blocks of other formats, with previews and locations of their own. All
      // prefixes have the same length.
      let tag = name.dropFirst("exif-ifd0-".count)
      let others = ["Orientation", "MakerNote", "XMLPacket", "IPTC/NAA", "ImageResources"]
      return others.contains(String(tag)) ? nil : .exif
    default: return nil
    }
  }
}
