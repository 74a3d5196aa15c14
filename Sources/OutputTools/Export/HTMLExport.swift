internal import TesseraCatalog
internal import TesseraSystem

/// A `picture` element for each picture and slot (HTML, section 4.8): a `source` for each type but the last, which is
/// that of the `img`, with the files of each scale; with the layout's size, so that nothing moves when it comes.
final class HTMLExport: Exporting {
  private let context: ExportContext
  private let file: File

  init(_ context: ExportContext) throws(SystemError) {
    self.context = context
    file = try File(context.target, .create)
  }

  func add(_ image: CatalogImage) throws -> Int {
    var lines = ""
    for slot in context.slots {
      guard let size = image.layoutSize(in: slot) else { continue }
      let files = context.files(of: image, in: slot)
      guard !files.isEmpty else { continue }
      lines += "<picture data-id=\"\(image.id.escaped)\" data-slot=\"\(slot.escaped)\">"
      for source in Self.sources(of: files) {
        lines +=
          "<source type=\"\(source.type.escaped)\" srcset=\"\(set(source.choices).escaped)\">"
      }
      let last = files.compactMap { file in
        file.variant.files.last.map { Choice(file: $0, scale: file.scale) }
      }
      lines +=
        "<img src=\"\(context.url(last[0].file.path).escaped)\" srcset=\"\(set(last).escaped)\""
      lines += " width=\"\(size.width)\" height=\"\(size.height)\""
      lines += " alt=\"\((image.extra?["alt"]?.stringValue ?? "").escaped)\" loading=\"lazy\""
      lines += " decoding=\"async\""
      // It would show through a picture that is not opaque, when that has come.
      if image.alpha != true, let color = image.placeholder?.rgb {
        lines += " style=\"background-color:rgb(\(color.red),\(color.green),\(color.blue))\""
      }
      lines += ">"
      lines += "</picture>\n"
    }
    try OutputToolError.wrap { try file.write(Array(lines.utf8)) }
    return 0
  }

  func finish() throws {}

  private struct Choice {
    var file: CatalogVariant.File
    var scale: Int
  }

  /// What every browser shows, whatever a source's type says.
  private static let universal: Set = ["image/jpeg", "image/png", "image/gif"]

  /// A source for each type that is not the last of its size and has a file for every scale: where a size was not made in
  /// this type its last one, if every browser shows that.
  private static func sources(
    of files: [(variant: CatalogVariant, scale: Int)]
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

  /// The value of `srcset`. A file that serves several scales stands at each: a browser takes the nearest that is told,
  /// and at a scale that is not told that would be another file.
  private func set(_ choices: [Choice]) -> String {
    choices.map { "\(context.url($0.file.path).sourceSetURL) \($0.scale)x" }.joined(separator: ", ")
  }
}

extension String {
  /// As an attribute's value in quotes.
  fileprivate var escaped: String {
    var text = ""
    for character in unicodeScalars {
      switch character {
      case "&": text += "&amp;"
      case "\"": text += "&quot;"
      case "<": text += "&lt;"
      case ">": text += "&gt;"
      case "\r": text += "&#13;"
      // No document may have them (HTML, section 13.1.4).
      case "\0"..<"\t", "\u{B}", "\u{E}"..<" ", "\u{7F}"..<"\u{A0}": text += "\u{FFFD}"
      default: text.unicodeScalars.append(character)
      }
    }
    return text
  }

  /// As a URL in `srcset`, where blanks and commas mean something.
  var sourceSetURL: String {
    var text = ""
    for character in unicodeScalars {
      switch character {
      case " ": text += "%20"
      case ",": text += "%2C"
      default: text.unicodeScalars.append(character)
      }
    }
    return text
  }
}
