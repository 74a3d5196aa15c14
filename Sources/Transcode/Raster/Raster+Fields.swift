internal import TesseraCVips

/// The metadata fields that libvips attaches to an image.
extension Raster {
  static let profileField = "icc-profile-data"
  static let exifField = "exif-data"
  static let xmpField = "xmp-data"
  static let iptcField = "iptc-data"
  static let orientationField = "orientation"

  /// The names of all fields, those of the image header (width, bands…) included.
  func fieldNames() throws(VipsError) -> [String] {
    guard let names = vips_image_get_fields(handle) else { throw VipsError.current() }
    defer { g_strfreev(names) }
    var result: [String] = []
    while let name = names[result.count] { result.append(String(cString: name)) }
    return result
  }

  /// The bytes of a field, or nil if the field is missing. They are valid as long as the raster
  /// exists.
  func blob(_ name: String) -> UnsafeRawBufferPointer? {
    var data: UnsafeRawPointer?
    var length = 0
    guard hasField(name), vips_image_get_blob(handle, name, &data, &length) == 0 else { return nil }
    return UnsafeRawBufferPointer(start: data, count: length)
  }

  /// With a copy of its own of every blob. A loader may tie the bytes to the image that it returns (libvips
  /// 8.14 does so with the profile of HEIC and AVIF), and fields outlive that image: what is encoded later
  /// would have freed memory in it.
  func withOwnBlobs() throws(VipsError) -> Raster {
    let copy = try copy()
    for name in try copy.fieldNames() {
      if let bytes = copy.blob(name) { copy.set(name, Array(bytes)) }
    }
    return copy
  }

  func hasField(_ name: String) -> Bool { vips_image_get_typeof(handle, name) != 0 }

  /// The value of a positive integer field, or `fallback` if the field is missing.
  func number(_ name: String, otherwise fallback: Int) -> Int {
    Int(tessera_vips_number(handle, name, Int32(fallback)))
  }

  func withoutField(_ name: String) throws(VipsError) -> Raster {
    let copy = try copy()
    copy.remove(name)
    return copy
  }

  // MARK: Changes in place, on a copy that the caller has just made

  /// Replaces the bytes of a field, or removes the field if there are none. The image keeps its orientation.
  ///
  /// - Returns: whether the field now exists.
  @discardableResult
  func set(_ name: String, _ bytes: [UInt8]?) -> Bool {
    vips_image_remove(handle, name)
    guard let bytes, !bytes.isEmpty else { return false }
    keepingOrientation {
      bytes.withUnsafeBytes { vips_image_set_blob_copy(handle, name, $0.baseAddress, $0.count) }
    }
    return true
  }

  /// libvips parses an Exif block when it is set, and takes the orientation in it for the image's. But the block does
  /// not say how the image is turned: the loaders of HEIC, AVIF and JPEG XL have turned it already, by their own rules.
  private func keepingOrientation(_ change: () -> Void) {
    let before = hasField(Self.orientationField) ? orientation : nil
    change()
    if let before { set(Self.orientationField, before) } else { remove(Self.orientationField) }
  }

  func set(_ name: String, _ number: Int) { vips_image_set_int(handle, name, Int32(number)) }

  func set(_ name: String, numbers: [Int]) {
    let values = numbers.map(Int32.init)
    vips_image_set_array_int(handle, name, values, Int32(values.count))
  }

  func set(_ name: String, _ text: String) { vips_image_set_string(handle, name, text) }

  /// Removes a field. Fields of the image header cannot be removed: for them this has no effect.
  func remove(_ name: String) { vips_image_remove(handle, name) }

  /// Removes all other fields, also those whose names are not UTF-8: comments of a PNG have their keywords in them, some
  /// of which no encoder accepts.
  func keepFields(where isKept: (_ name: String) -> Bool) throws(VipsError) {
    guard let names = vips_image_get_fields(handle) else { throw VipsError.current() }
    defer { g_strfreev(names) }
    var index = 0
    while let name = names[index] {
      if !isKept(String(cString: name)) { vips_image_remove(handle, name) }
      index += 1
    }
  }

  /// Copies a field from another raster, whatever the field's type. Of Exif, the orientation is not copied.
  func copyField(_ name: String, from other: Raster) {
    guard name != Self.orientationField else {
      return tessera_vips_copy_field(other.handle, handle, name)
    }
    keepingOrientation { tessera_vips_copy_field(other.handle, handle, name) }
  }
}
