internal import TesseraBytes
internal import TesseraCatalog

/// The rules of a style sheet for `picture` elements: classes, so that a page with the policy `style-src 'self'` shows
/// them.
struct PictureStyle {
  let head: Catalog
  /// Those that are shown.
  let slots: [String]
  /// Whether the rule that draws placeholders from numbers is written.
  private var hasBlurRule = false

  init(head: Catalog, slots: [String]) { (self.head, self.slots) = (head, slots) }

  /// Classes for all images.
  func common(isFluid: Bool) -> String {
    var text = "img.tessera{max-width:100%;height:auto;background-size:100% 100%}\n"
    for slot in slots {
      guard let box = head.slots[slot], let width = box.width else { continue }
      let name = Self.name(slot: slot)
      // An image service that does not crop leaves that to the page.
      if box.mode == .clip, let height = box.height {
        text += "img.\(name){aspect-ratio:\(width)/\(height);object-fit:cover}\n"
      }
      if box.mode == .fill, let height = box.height {
        text += "img.\(name){width:\(width)px;height:\(height)px;object-fit:cover}\n"
      } else if isFluid, box.isFluid {
        text += "img.\(name){width:100%;max-width:\(width)px}\n"
      }
    }
    return text
  }

  /// What an image shows until its file has loaded, and which point a cropped box keeps; empty if there is nothing to say.
  mutating func rules(for image: CatalogImage) -> String {
    var (rules, text) = ("", "")
    // A background would show through an image that is not opaque.
    if image.alpha != true, let placeholder = image.placeholder {
      if let color = placeholder.rgb {
        text += "background-color:rgb(\(color.red),\(color.green),\(color.blue));"
      }
      if let number = Self.number(of: image) {
        if !hasBlurRule { rules += "\(Self.blurRule)\n" }
        hasBlurRule = true
        text += "--tessera:\(number);"
      } else if let url = Self.picture(of: placeholder) {
        text += "background-image:url(\(url));"
      }
    }
    if let focus = image.focus {
      text += "object-position:\(Self.percent(focus.x)) \(Self.percent(focus.y));"
    }
    let name = "img.\(Self.name(id: image.id))"
    if !text.isEmpty { rules += "\(name){\(text.dropLast())}\n" }
    // Of the catalog's size, and not of the file's, whose rounding would move what follows when it loads. An image service that
    // does not crop leaves that to the page, too.
    for slot in slots where head.slots[slot]?.mode == .fit {
      guard let use = image.slots[slot], let box = use.box else { continue }
      rules +=
        "\(name).\(Self.name(slot: slot)){aspect-ratio:\(box.width)/\(box.height)"
        + "\(use.image == nil ? "" : ";object-fit:cover")}\n"
    }
    return rules
  }

  /// The number from which the rule of ``blurRule`` draws; nil if there is none, or if it would show through the image.
  static func number(of image: CatalogImage) -> Int? {
    guard image.alpha != true, let number = image.placeholder?.css, (0..<1 << 24).contains(number)
    else { return nil }
    return number
  }

  /// Draws a blurred image from the number in `--tessera`, as `CSSPlaceholder` states it; the library for the web has the same
  /// rule. A browser that lacks `mod()` or `oklab()` draws the background colour alone.
  static let blurRule: String = {
    func bits(_ from: Int, _ count: Int) -> String {
      "mod(round(down,var(--tessera)/\(1 << from),1),\(1 << count))"
    }
    func color(_ lightness: String) -> String {
      "oklab(\(lightness) var(--tessera-a) var(--tessera-b))"
    }
    let cells = 0..<6
    let lightnesses = cells.map { cell in
      "--tessera-\(cell):calc(var(--tessera-l) + \(bits(cell * 2, 2))*.1)"
    }
    let gradients = cells.map { cell in
      "radial-gradient(35% 56% at \(["16.67", "50", "83.33"][cell % 3])% \(cell < 3 ? 25 : 75)%,"
        + "\(color("var(--tessera-\(cell))")),transparent)"
    }
    let sum = cells.map { "var(--tessera-\($0))" }.joined(separator: " + ")
    let mean = color("calc((\(sum))/6)")
    return ".tessera-blur{--tessera-l:calc(\(bits(20, 4))/15);"
      + "--tessera-a:calc((\(bits(16, 4)) - 7)*.04);--tessera-b:calc((\(bits(12, 4)) - 7)*.04);"
      + "\(lightnesses.joined(separator: ";"));"
      + "background-image:\(gradients.joined(separator: ",")),linear-gradient(\(mean),\(mean))}"
  }()

  /// A blurred image as a `data:` URL; nil if the placeholder has none.
  static func picture(of placeholder: CatalogPlaceholder) -> String? {
    switch placeholder.best {
    // A browser scales it up: more pixels show nothing more.
    case .thumbhash?, .blurhash?:
      placeholder.best?.pixels(CatalogSize(width: 10, height: 10))?.dataURL
    case .color?, nil: nil
    }
  }

  private static func percent(_ share: Double) -> String {
    "\((share * 1000).rounded() / 10)%"
  }

  /// The class of an image. An id may have any characters; its digest has none that need escaping.
  static func name(id: String) -> String { "tessera-i\(SHA256.of(id).prefix(12))" }
  static func name(slot: String) -> String { "tessera-\(slot.assetName)" }
}

extension CatalogSlot {
  /// Whether an image in the slot may be narrower than it on a narrow page: each image is as wide as the slot, and its
  /// shape decides on the height.
  var isFluid: Bool { width != nil && (mode == .clip || mode == .fit && height == nil) }
}
