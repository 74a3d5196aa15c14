internal import TesseraCatalog

/// `picture` elements (HTML, section 4.8): a `source` for each type except the last, which is that of the `img`. It has the
/// size in the layout, so that nothing moves when the image loads.
struct PictureMarkup {
  private typealias ScaledVariant = (variant: CatalogVariant, descriptor: String)

  private struct Choice {
    var file: CatalogVariant.File
    var descriptor: String
  }

  private let context: ExportContext
  /// Images that are still loaded at once.
  private var eager: Int

  init(_ context: ExportContext) {
    self.context = context
    eager = context.options.eager
  }

  /// The elements of an image, one for each slot that it has files for.
  mutating func pictures(of image: CatalogImage) -> [(slot: String, text: String)] {
    var pictures: [(String, String)] = []
    for slot in context.slots {
      guard let text = picture(of: image, in: slot) else { continue }
      pictures.append((slot, text))
    }
    if !pictures.isEmpty { eager = max(0, eager - 1) }
    return pictures
  }

  private func picture(of image: CatalogImage, in slot: String) -> String? {
    guard let size = size(of: image, in: slot) else { return nil }
    let isFluid = isFluid(slot)
    let files = isFluid ? widths(of: image, in: slot) : scales(of: image, in: slot)
    guard !files.isEmpty else { return nil }
    // The slot's own width is where a fluid image stops to grow with the page.
    let sizes = isFluid ? " sizes=\"(max-width: \(size.width)px) 100vw, \(size.width)px\"" : ""
    var text = "<picture data-id=\"\(image.id.escapedHTML)\" data-slot=\"\(slot.escapedHTML)\">"
    let high = files.compactMap { file in
      file.variant.highDynamicRangeFile.map { Choice(file: $0, descriptor: file.descriptor) }
    }
    // Before all others: a browser takes the first source that fits.
    if high.count == files.count {
      text += "<source media=\"(dynamic-range: high)\" type=\"image/jpeg\""
      text += " srcset=\"\(set(high).escapedHTML)\"\(sizes)>"
    }
    for source in Self.sources(of: files) {
      text +=
        "<source type=\"\(source.type.escapedHTML)\" srcset=\"\(set(source.choices).escapedHTML)\"\(sizes)>"
    }
    return text + element(image, slot, files, size, sizes) + "</picture>"
  }

  /// The size of the element: for a slot that is covered, the slot's own.
  private func size(of image: CatalogImage, in slot: String) -> CatalogSize? {
    guard let box = context.head.slots[slot], box.mode == .fill, image.slots[slot] != nil,
      let width = box.width, let height = box.height
    else { return image.layoutSize(in: slot) }
    return CatalogSize(width: width, height: height)
  }

  private func isFluid(_ slot: String) -> Bool {
    context.options.isFluid && context.head.slots[slot]?.isFluid == true
  }

  private func scales(of image: CatalogImage, in slot: String) -> [ScaledVariant] {
    context.files(of: image, in: slot).map { ($0.variant, "\($0.scale)x") }
  }

  /// Files of each width, ascending: of a fitted image all that show the whole of it.
  private func widths(of image: CatalogImage, in slot: String) -> [ScaledVariant] {
    let own = context.files(of: image, in: slot).map(\.variant)
    let all = context.head.slots[slot]?.mode == .fit && own.count > 0 ? image.wholeVariants : own
    var seen: Set<Int> = []
    return (all.isEmpty ? own : all).filter { seen.insert($0.width).inserted }
      .sorted { $0.width < $1.width }.map { ($0, "\($0.width)w") }
  }

  /// The `img` element, with the files of the last type.
  private func element(
    _ image: CatalogImage, _ slot: String, _ files: [ScaledVariant], _ size: CatalogSize,
    _ sizes: String
  ) -> String {
    let last = files.compactMap { file in
      file.variant.files.last.map { Choice(file: $0, descriptor: file.descriptor) }
    }
    let classes =
      "tessera \(PictureStyle.name(slot: slot)) \(PictureStyle.name(id: image.id))"
    let loading =
      eager > 0 ? "loading=\"eager\" fetchpriority=\"high\"" : "loading=\"lazy\""
    return
      "<img class=\"\(classes)\" src=\"\(context.url(last[0].file).escapedHTML)\""
      + " srcset=\"\(set(last).escapedHTML)\"\(sizes) width=\"\(size.width)\" height=\"\(size.height)\""
      + " alt=\"\((image.alt ?? "").escapedHTML)\" \(loading) decoding=\"async\">"
  }

  /// Types that every browser shows, whatever the `type` of a `source` says.
  private static let universal: Set = ["image/jpeg", "image/png", "image/gif"]

  /// A source for each type that is not the last of its size, and has a file for every scale. If a
  /// size was not made in that type, its last file takes the place, if every browser shows that.
  private static func sources(
    of files: [ScaledVariant]
  ) -> [(type: String, choices: [Choice])] {
    var types: [String] = []
    for file in files.sorted(by: { $0.variant.files.count > $1.variant.files.count }) {
      for type in file.variant.files.dropLast().map(\.type) where !types.contains(type) {
        types.append(type)
      }
    }
    return types.compactMap { type in
      let choices = files.compactMap { file in
        let made = file.variant.files.first { $0.type == type }
        let last = file.variant.files.last.flatMap { universal.contains($0.type) ? $0 : nil }
        return (made ?? last).map { Choice(file: $0, descriptor: file.descriptor) }
      }
      return choices.count == files.count ? (type, choices) : nil
    }
  }

  /// The value of `srcset`. A file that serves several scales is listed at each: a browser takes
  /// the nearest scale of the list, and for one that is missing that may be another file.
  private func set(_ choices: [Choice]) -> String {
    choices.map { "\(context.url($0.file).sourceSetURL) \($0.descriptor)" }
      .joined(separator: ", ")
  }
}

extension String {
  /// As the value of an attribute in quotes, or as text.
  var escapedHTML: String {
    var text = ""
    for character in unicodeScalars {
      switch character {
      case "&": text += "&amp;"
      case "\"": text += "&quot;"
      case "<": text += "&lt;"
      case ">": text += "&gt;"
      // A parser turns a plain CR into LF (HTML, section 13.2.3.5).
      case "\r": text += "&#13;"
      // Not allowed in any document, not even as references (HTML, section 13.1.4).
      case "\0"..<"\t", "\u{B}", "\u{E}"..<" ", "\u{7F}"..<"\u{A0}": text += "\u{FFFD}"
      default: text.unicodeScalars.append(character)
      }
    }
    return text
  }
}
