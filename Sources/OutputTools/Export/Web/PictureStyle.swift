internal import TesseraBytes
internal import TesseraCatalog

/// The rules of a style sheet for `picture` elements: classes, so that a page with the policy `style-src 'self'` shows
/// them.
struct PictureStyle {
  let head: Catalog

  /// Classes for all images.
  func common(_ slots: [String], isFluid: Bool) -> String {
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
  func rules(for image: CatalogImage) -> String {
    var text = ""
    // A background would show through an image that is not opaque.
    if image.alpha != true, let placeholder = image.placeholder {
      if let color = placeholder.rgb {
        text += "background-color:rgb(\(color.red),\(color.green),\(color.blue));"
      }
      if let url = Self.picture(of: placeholder) { text += "background-image:url(\(url));" }
    }
    if let focus = image.focus {
      text += "object-position:\(Self.percent(focus.x)) \(Self.percent(focus.y));"
    }
    return text.isEmpty ? "" : "img.\(Self.name(id: image.id)){\(text.dropLast())}\n"
  }

  /// A blurred image as a `data:` URL; nil if the placeholder has none.
  static func picture(of placeholder: CatalogPlaceholder) -> String? {
    switch placeholder.best {
    // A URL of a catalog goes into a style sheet only if it is the one that a run writes.
    case .lqip(let url)?: isPlain(url) ? url : nil
    case .thumbhash?, .blurhash?: placeholder.best?.pixels()?.dataURL
    case .color?, nil: nil
    }
  }

  private static func isPlain(_ url: String) -> Bool {
    url.wholeMatch(of: /data:image\/[a-z]+;base64,[A-Za-z0-9+\/=]+/) != nil
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
