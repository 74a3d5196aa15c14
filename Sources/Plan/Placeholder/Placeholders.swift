/// What a client can show of an image before its file arrives, by kind.
package struct Placeholders: Sendable, Equatable {
  /// As pipeline files, catalogs and the state's columns name it. New kinds come last, because the order decides the
  /// marks of records.
  package enum Kind: String, Sendable, Codable, CodingKey, CaseIterable {
    /// `#rrggbb`. It is always made, unless the image is fully transparent.
    case color
    /// In Base64.
    case thumbhash
    case blurhash
    /// A number from which a style sheet draws; see ``CSSPlaceholder``.
    case css
  }

  private var texts: [Kind: String]

  package init(_ texts: [Kind: String] = [:]) { self.texts = texts }

  /// Nil if the kind was not made.
  package subscript(kind: Kind) -> String? {
    get { texts[kind] }
    set { texts[kind] = newValue }
  }

  /// Whether all these kinds were made.
  package func has(_ kinds: [Kind]) -> Bool {
    kinds.allSatisfy { $0 == .color || texts[$0] != nil }
  }
}

extension Placeholders {
  /// Whether each is of its kind's form. Those from another process are checked, because pages have them in their
  /// markup and style sheets.
  package var arePossible: Bool { texts.allSatisfy { $0.isForm(of: $1) } }
}

extension Placeholders.Kind {
  /// Far more than any of them has.
  private static let longest = 16_384

  fileprivate func isForm(of text: String) -> Bool {
    let bytes = Array(text.utf8)
    guard bytes.count <= Self.longest else { return false }
    switch self {
    case .color:
      return bytes.count == 7 && bytes[0] == UInt8(ascii: "#")
        && bytes.dropFirst().allSatisfy(Array("0123456789abcdef".utf8).contains)
    case .thumbhash: return Self.isBase64(bytes)
    case .blurhash: return bytes.count >= 6 && bytes.allSatisfy(BlurHash.isDigit)
    case .css: return CSSPlaceholder.isNumber(text)
    }
  }

  /// RFC 4648, section 4.
  private static func isBase64(_ bytes: [UInt8]) -> Bool {
    let digits = bytes.reversed().drop { $0 == UInt8(ascii: "=") }
    return !digits.isEmpty && bytes.count % 4 == 0 && bytes.count - digits.count <= 2
      && digits.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "/"):
          true
        default: false
        }
      }
  }
}

/// An object with a member for each kind that was made.
extension Placeholders: Codable {
  package init(from decoder: any Decoder) throws {
    let members = try decoder.container(keyedBy: Kind.self)
    texts = [:]
    for kind in Kind.allCases {
      texts[kind] = try members.decodeIfPresent(String.self, forKey: kind)
    }
  }

  package func encode(to encoder: any Encoder) throws {
    var members = encoder.container(keyedBy: Kind.self)
    for kind in Kind.allCases { try members.encodeIfPresent(texts[kind], forKey: kind) }
  }
}

/// The colour that covers most of an image: the first thing that a client can draw.
package enum DominantColour {
  /// Red, green and blue: of the colours, rounded to four bits per channel, the most frequent one,
  /// and the mean of its pixels. Pixels count by their alpha. Nil if the image is fully
  /// transparent.
  package static func of(_ image: Thumbnail) -> (red: UInt8, green: UInt8, blue: UInt8)? {
    var weights = [Int](repeating: 0, count: 4096)  // 2^(3 * 4)
    let samples = image.samples.span
    func bin(_ pixel: Int) -> Int {
      func part(_ channel: Int) -> Int { Int(samples[pixel * 4 + channel] >> 4) }
      return part(0) << 8 | part(1) << 4 | part(2)
    }
    let pixels = 0..<image.width * image.height
    for pixel in pixels { weights[bin(pixel)] += Int(samples[pixel * 4 + 3]) }
    // Of equals the first, so that the answer is deterministic.
    guard let most = weights.max(), most > 0, let best = weights.firstIndex(of: most) else {
      return nil
    }
    var sums = [0, 0, 0]
    for pixel in pixels where bin(pixel) == best {
      for channel in 0..<3 {
        sums[channel] +=
          Int(samples[pixel * 4 + channel]) * Int(samples[pixel * 4 + 3])
      }
    }
    // Rounded to the nearest, in integers.
    let mean = sums.map { UInt8((2 * $0 + most) / (2 * most)) }
    return (mean[0], mean[1], mean[2])
  }
}
