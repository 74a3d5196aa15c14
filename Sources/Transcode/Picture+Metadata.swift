internal import TesseraCVips
internal import TesseraPlan

extension Picture {
  var xmp: [UInt8] { blob("xmp-data").map { Array($0) } ?? [] }

  /// With XMP looked through, once for all files: upright, and with fields that say whether it tells a place or
  /// holds a preview.
  func withXMPRead() throws(VipsError) -> Picture {
    guard blob("xmp-data") != nil else { return self }
    let copy = try Self.make { tessera_vips_copy_plain(image, $0) }
    let packet = copy.xmp
    let content = XMPPacket.content(of: packet)
    copy.set("xmp-data", XMPPacket.upright(packet))
    vips_image_set_int(copy.image, Self.placeField, content.tellsPlace ? 2 : 1)
    vips_image_set_int(copy.image, Self.previewField, content.hasPreview ? 2 : 1)
    return copy
  }

  private static let (placeField, previewField) = ("tessera-xmp-place", "tessera-xmp-preview")

  /// The bytes of a field; nil where it is not there. They live as long as the picture.
  func blob(_ name: String) -> UnsafeRawBufferPointer? {
    var data: UnsafeRawPointer?
    var length = 0
    guard vips_image_get_typeof(image, name) != 0,
      vips_image_get_blob(image, name, &data, &length) == 0
    else { return nil }
    return UnsafeRawBufferPointer(start: data, count: length)
  }

  /// With the metadata that a policy keeps and no other. What an animation needs (its frames' height,
  /// delays and loop count) stays where it is one.
  ///
  /// - Returns: also what of the policy there is.
  func prepared(
    keeping policy: MetadataPolicy, isAnimation: Bool
  ) throws(VipsError) -> (Picture, MetadataPolicy) {
    let copy = try Self.make { tessera_vips_copy_plain(image, $0) }
    guard let names = vips_image_get_fields(copy.image) else { throw VipsError.current() }
    defer { g_strfreev(names) }
    // What nobody has looked through may hold anything.
    let tellsPlace = tessera_vips_number(image, Self.placeField, 2) != 1
    let hasPreview = tessera_vips_number(image, Self.previewField, 2) != 1
    let xmp: MetadataPolicy? = hasPreview ? nil : tellsPlace ? [.xmp, .location] : .xmp
    let timing = isAnimation ? ["page-height", "n-pages", "delay", "loop"] : []
    var kept: MetadataPolicy = .strip
    var index = 0
    while let name = names[index] {
      let text = String(cString: name)
      if let kind = text == "xmp-data" ? xmp : Self.kind(ofField: text), policy.isSuperset(of: kind)
      {
        kept.formUnion(kind)
      } else if !timing.contains(text) {
        // Fields of the header itself (width, bands…) are no metadata; removing them does nothing.
        vips_image_remove(copy.image, name)
      }
      index += 1
    }
    // Without the block itself its fields are nobody's.
    if copy.blob("exif-data") == nil { kept.subtract([.exif, .location]) }
    if kept.contains(.exif), !kept.contains(.icc) { copy.tellSRGB() }
    if kept.contains(.iptc), let block = copy.blob("iptc-data") {
      let clean = IPTCBlock.clean(Array(block), keepsLocation: policy.contains(.location))
      if !copy.set("iptc-data", clean) { kept.subtract(.iptc) }
    }
    return (copy, kept.subtracting(.location))
  }

  /// Replaces the bytes of a field, or removes it. Returns whether there are any.
  @discardableResult
  func set(_ name: String, _ bytes: [UInt8]?) -> Bool {
    vips_image_remove(image, name)
    guard let bytes, !bytes.isEmpty else { return false }
    bytes.withUnsafeBytes { vips_image_set_blob_copy(image, name, $0.baseAddress, $0.count) }
    return true
  }

  /// Makes Exif tell the colours that the samples have, which were converted.
  private func tellSRGB() {
    if vips_image_get_typeof(image, "exif-ifd2-ColorSpace") != 0 {
      vips_image_set_string(image, "exif-ifd2-ColorSpace", "1 (sRGB, Short, 1 components, 2 bytes)")
    }
    vips_image_remove(image, "exif-ifd4-InteroperabilityIndex")
  }

  /// What kind of metadata a field other than XMP's holds; nil for what is kept by no policy.
  private static func kind(ofField name: String) -> MetadataPolicy? {
    switch name {
    case profileField: return .icc
    case "iptc-data": return .iptc
    case "exif-data": return .exif
    case _ where name.hasPrefix("exif-ifd1-"): return nil  // of the preview
    case _ where name.hasPrefix("exif-ifd3-"): return [.exif, .location]
    case _ where name.hasPrefix("exif-"):
      // Whole other blocks have found a place in Exif, with previews and places of their own.
      let tag = name.dropFirst("exif-ifd0-".count)
      let others = ["Orientation", "MakerNote", "XMLPacket", "IPTC/NAA", "ImageResources"]
      return others.contains(String(tag)) ? nil : .exif
    default: return nil
    }
  }
}
