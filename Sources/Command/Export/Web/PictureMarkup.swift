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

  /// Whether the next image is loaded at once.
  var isEager: Bool { eager > 0 }

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

  /// What is offered of an image in a slot: files by density, or by width.
  private struct Offer {
    let image: CatalogImage
    let slot: String
    let size: CatalogSize
    let files: [ScaledVariant]
    let isFluid: Bool
    let isLazy: Bool

    /// The slot's own width is where a fluid image stops to grow with the page. While it is lazy, a browser that can takes
    /// the width from the layout (HTML, section 4.8.4.2.2).
    var sizes: String? {
      isFluid
        ? "\(isLazy ? "auto, " : "")(max-width: \(size.width)px) 100vw, \(size.width)px" : nil
    }
  }

  private func offer(of image: CatalogImage, in slot: String) -> Offer? {
    let isFluid = isFluid(slot)
    let files = isFluid ? widths(of: image, in: slot) : scales(of: image, in: slot)
    guard let size = image.slots[slot]?.box, !files.isEmpty else { return nil }
    return Offer(
      image: image, slot: slot, size: size, files: files, isFluid: isFluid, isLazy: !isEager)
  }

  private func picture(of image: CatalogImage, in slot: String) -> String? {
    guard let offer = offer(of: image, in: slot) else { return nil }
    let sizes = offer.sizes.map { " sizes=\"\($0)\"" } ?? ""
    var text = "<picture data-id=\"\(image.id.escapedHTML)\" data-slot=\"\(slot.escapedHTML)\">"
    if context.options.reducesData, let smallest = context.files(of: image, in: slot).first {
      for file in smallest.variant.files {
        text += "<source media=\"(prefers-reduced-data: reduce)\" type=\"\(file.type.escapedHTML)\""
        text += " srcset=\"\(context.url(file).sourceSetURL.escapedHTML)\">"
      }
    }
    // Before the others: a browser takes the first source that fits.
    if let high = high(of: offer) {
      text += "<source media=\"(dynamic-range: high)\" type=\"image/jpeg\""
      text += " srcset=\"\(set(high).escapedHTML)\"\(sizes)>"
    }
    for source in Self.sources(of: offer.files) {
      text +=
        "<source type=\"\(source.type.escapedHTML)\" srcset=\"\(set(source.choices).escapedHTML)\"\(sizes)>"
    }
    return text + element(offer, sizes) + "</picture>"
  }

  /// The files for screens of high dynamic range, if every size has one.
  private func high(of offer: Offer) -> [Choice]? {
    let high = offer.files.compactMap { file in
      file.variant.highDynamicRangeFile.map { Choice(file: $0, descriptor: file.descriptor) }
    }
    return high.count == offer.files.count ? high : nil
  }

  /// Links for a page's head that load the first images, which are loaded at once, before the browser has met them: those of
  /// the preferred type, which a browser that does not show it ignores. None if visitors may want less data: a link would
  /// load more for them.
  mutating func preloads(of image: CatalogImage) -> [String] {
    let offers = context.slots.compactMap { offer(of: image, in: $0) }
    if !offers.isEmpty { eager -= 1 }
    guard !context.options.reducesData else { return [] }
    return offers.flatMap { offer in
      let preferred =
        Self.sources(of: offer.files).first
        ?? (type: offer.files[0].variant.files[0].type, choices: Self.last(of: offer.files))
      guard let high = high(of: offer) else { return [preload(preferred, offer, media: nil)] }
      return [
        preload(("image/jpeg", high), offer, media: "(dynamic-range: high)"),
        preload(preferred, offer, media: "not all and (dynamic-range: high)"),
      ]
    }
  }

  private func preload(
    _ preferred: (type: String, choices: [Choice]), _ offer: Offer, media: String?
  ) -> String {
    "<link rel=\"preload\" as=\"image\"" + (media.map { " media=\"\($0)\"" } ?? "")
      + " type=\"\(preferred.type.escapedHTML)\""
      + " imagesrcset=\"\(set(preferred.choices).escapedHTML)\""
      + (offer.sizes.map { " imagesizes=\"\($0)\"" } ?? "") + " fetchpriority=\"high\">"
  }

  private func isFluid(_ slot: String) -> Bool {
    context.options.isFluid && context.head.slots[slot]?.isFluid == true
  }

  /// Each file once, though it may serve several scales. Browsers take the first file whose scale is at least their own, or
  /// the nearest one: with the highest of its scales for each file, and the lowest for the last, both come to the file that
  /// was made for the scale.
  private func scales(of image: CatalogImage, in slot: String) -> [ScaledVariant] {
    var served: [(variant: CatalogVariant, lowest: Int, highest: Int)] = []
    for (variant, scale) in context.files(of: image, in: slot) {
      if let known = served.firstIndex(where: { $0.variant == variant }) {
        served[known].highest = scale
      } else {
        served.append((variant, scale, scale))
      }
    }
    return served.enumerated().map { index, file in
      (file.variant, "\(index == served.count - 1 ? file.lowest : file.highest)x")
    }
  }

  /// Files of each width, ascending: of a fitted image all that show the whole of it.
  private func widths(of image: CatalogImage, in slot: String) -> [ScaledVariant] {
    let own = context.files(of: image, in: slot).map(\.variant)
    let isWhole =
      context.head.slots[slot]?.mode == .fit && own.allSatisfy { $0.crop == nil }
    let all = isWhole && own.count > 0 ? image.wholeVariants : own
    // An image that covers its box may be wider than it: `sizes` states the width of the box.
    let use = image.slots[slot]
    let part = use?.image.map { min(1, Double(use?.width ?? 0) / Double(max(1, $0.width))) } ?? 1
    var seen: Set<Int> = []
    return (all.isEmpty ? own : all).sorted { $0.width < $1.width }.compactMap { variant in
      let width = max(1, Int(Double(variant.width) * part))
      return seen.insert(width).inserted ? (variant, "\(width)w") : nil
    }
  }

  private static func last(of files: [ScaledVariant]) -> [Choice] {
    files.compactMap { file in
      file.variant.files.last.map { Choice(file: $0, descriptor: file.descriptor) }
    }
  }

  /// The `img` element, with the files of the last type.
  private func element(_ offer: Offer, _ sizes: String) -> String {
    let (image, size) = (offer.image, offer.size)
    let last = Self.last(of: offer.files)
    let classes =
      ["tessera", PictureStyle.name(slot: offer.slot), PictureStyle.name(id: image.id)]
      + (PictureStyle.number(of: image) == nil ? [] : ["tessera-blur"])
    let loading =
      offer.isLazy ? "loading=\"lazy\"" : "loading=\"eager\" fetchpriority=\"high\""
    return
      "<img class=\"\(classes.joined(separator: " "))\" src=\"\(context.url(last[0].file).escapedHTML)\""
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

  /// The value of `srcset`.
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
