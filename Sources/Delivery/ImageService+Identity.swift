internal import TesseraCatalog
internal import TesseraPlan

extension ImageService {
  /// Lines that change with everything that shapes a catalog: samples of the URLs, which have all words and the
  /// signature in them, and the limits. The key is in the signature alone.
  package var identity: [String] {
    let source = Size(4_000, 3_000)
    let focus = CatalogFocus(x: 0.125, y: 0.875)
    var lines: [String] = []
    for format in OutputFormat.allCases where formats[format] != nil {
      for mode in CatalogSlot.Mode.allCases {
        for quality in [1, 80, 100] {
          for (metadata, isAnimated) in [(MetadataPolicy.strip, false), (.keep, true)] {
            let encoding = Encoding(
              format: format, quality: quality, effort: nil, background: nil,
              isAnimated: isAnimated, metadata: metadata)
            let crop = mode == .clip ? Crop(x: 10, y: 20, size: Size(3_000, 2_000)) : nil
            let file = PlannedFile(
              crop: crop, size: mode == .clip ? Size(300, 200) : Size(400, 300), encoding: encoding,
              fallback: nil)
            lines.append(
              url(
                of: DeliveryRequest(
                  url: "https://source.example/a/b.jpg?c=d", source: source, focus: focus,
                  mode: mode, file: file)) ?? "")
          }
        }
      }
      lines.append(
        "limits \(format.rawValue) \(limits.longestSides[format] ?? 0) \(limits.areas[format] ?? 0)"
      )
    }
    lines.append("service widths \(limits.widths) crops \(limits.crops)")
    lines.append("animations \(keepsAnimations) files \(makesFiles) source \(sourcePixels ?? 0)")
    return lines
  }
}
