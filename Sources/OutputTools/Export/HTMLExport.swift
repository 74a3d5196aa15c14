internal import TesseraCatalog
internal import TesseraSystem

/// A `picture` element for each image and slot (HTML, section 4.8): a `source` for each type except
/// the last, which is that of the `img`, with the files of each scale. It has the size in the
/// layout, so that nothing moves when the image loads.
final class HTMLExport: Exporting {
  private typealias ScaledVariant = (variant: CatalogVariant, scale: Int)

  private struct Choice {
    var file: CatalogVariant.File
    var scale: Int
  }

  private let context: ExportContext
  private let file: File

  init(_ context: ExportContext) throws(SystemError) {
    self.context = context
    file = try File(context.target, .create)
  }

  func add(_ image: CatalogImage) throws -> Int {
    var lines = ""
    for slot in context.slots {
      let files = context.files(of: image, in: slot)
      guard let size = image.layoutSize(in: slot), !files.isEmpty else { continue }
      lines += "<picture data-id=\"\(image.id.escaped)\" data-slot=\"\(slot.escaped)\">"
      for source in Self.sources(of: files) {
        lines +=
          "<source type=\"\(source.type.escaped)\" srcset=\"\(set(source.choices).escaped)\">"
      }
      lines += element(for: image, files, width: size.width, height: size.height)
      lines += "</picture>\n"
    }
    try file.write(Array(lines.utf8))
    return 0
  }

  /// The `img` element, with the files of the last type.
  private func element(
    for image: CatalogImage, _ files: [ScaledVariant], width: Int, height: Int
  ) -> String {
    let last = files.compactMap { file in
      file.variant.files.last.map { Choice(file: $0, scale: file.scale) }
    }
    var text =
      "<img src=\"\(context.url(last[0].file.path).escaped)\" srcset=\"\(set(last).escaped)\""
    text += " width=\"\(width)\" height=\"\(height)\""
    text += " alt=\"\((image.extra?["alt"]?.stringValue ?? "").escaped)\" loading=\"lazy\""
    text += " decoding=\"async\""
    // A background would show through an image that is not opaque.
    if image.alpha != true, let color = image.placeholder?.rgb {
      text += " style=\"background-color:rgb(\(color.red),\(color.green),\(color.blue))\""
    }
    return text + ">"
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
        return (made ?? last).map { Choice(file: $0, scale: file.scale) }
      }
      return choices.count == files.count ? (type, choices) : nil
    }
  }

  /// The value of `srcset`. A file that serves several scales is listed at each: a browser takes
  /// the nearest scale of the list, and for one that is missing that may be another file.
  private func set(_ choices: [Choice]) -> String {
    choices.map { "\(context.url($0.file.path).sourceSetURL) \($0.scale)x" }.joined(separator: ", ")
  }
}

extension String {
  /// As the value of an attribute in quotes.
  fileprivate var escaped: String {
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
