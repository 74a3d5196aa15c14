internal import TesseraText

/// The form of a service's URLs, with placeholders:
///
///     rs:{mode}:{width}:{height}[/q:{quality}]/plain/{url}@{format}
///
/// `{name}` is replaced by a value. `[…]` is left out if a placeholder in it has none. A URL as a value is
/// percent-encoded (RFC 3986, section 2.1); `{+url}` inserts it as it is, `{url:path}` encodes all but ":"
/// and "/", and `{url:base64url}` is base64 for URLs without padding (RFC 4648, section 5).
package struct Template: Sendable, Equatable {
  /// As it is written.
  package let text: String
  private let parts: [Part]
  /// The placeholders, each once.
  package let names: [Name]

  private indirect enum Part: Sendable, Equatable {
    case text(String)
    case value(Name, Form)
    case optional([Part])
  }

  /// What a placeholder stands for.
  package enum Name: String, Sendable, CaseIterable {
    /// The source: all of its URL, or its host with the port, its path without the first slash, its query.
    case url, host, path, query
    /// The size in pixels.
    case width, height
    /// Words of the service.
    case mode, format, metadata, animation
    case quality
    /// What a crop keeps; empty for the whole image.
    case x, y
    /// The crop itself, in pixels of the source; empty for the whole image, and for a crop of its centre,
    /// which a service crops itself.
    case left, top, right, bottom
    case cropWidth = "crop-width"
    case cropHeight = "crop-height"
    /// The part that a signature covers, and the signature.
    case signed, signature
    /// Of the signature.
    case key, salt
  }

  enum Form: String, Sendable, CaseIterable {
    case plain = "+"
    case encoded = ""
    case path, base64url
  }

  package struct Failure: Error, Equatable {
    /// Completes "the template is wrong: …".
    package var message: String
  }

  /// - Parameter allowed: the placeholders that have a value in this place.
  package init(_ text: String, allowed: [Name]) throws(Failure) {
    self.text = text
    var parser = TemplateParser(text, allowed: allowed)
    parts = try parser.parts(until: nil)
    names = Name.allCases.filter(parser.names.contains)
  }

  /// The text with values in it. An empty value counts as missing.
  package func expand(_ value: (Name) -> String) -> String { Self.expand(parts, value).text }

  private static func expand(
    _ parts: [Part], _ value: (Name) -> String
  ) -> (text: String, isWhole: Bool) {
    var text = ""
    var isWhole = true
    for part in parts {
      switch part {
      case .text(let plain): text += plain
      case .value(let name, let form):
        let value = value(name)
        isWhole = isWhole && !value.isEmpty
        text += form.applied(to: value, of: name)
      case .optional(let inner):
        let inner = expand(inner, value)
        if inner.isWhole { text += inner.text }
      }
    }
    return (text, isWhole)
  }

  private struct TemplateParser {
    private var rest: Substring
    private let allowed: [Name]
    var names: Set<Name> = []

    init(_ text: String, allowed: [Name]) {
      rest = text[...]
      self.allowed = allowed
    }

    mutating func parts(until end: Character?) throws(Failure) -> [Part] {
      var parts: [Part] = []
      while let next = rest.first {
        switch next {
        case "{": try parts.append(placeholder())
        case "[":
          rest.removeFirst()
          try parts.append(.optional(self.parts(until: "]")))
        case "]" where end != nil:
          rest.removeFirst()
          return parts
        case "]", "}": throw Failure(message: "\"\(next)\" closes nothing")
        default:
          let text = rest.prefix { !"{}[]".contains($0) }
          parts.append(.text(String(text)))
          rest = rest.dropFirst(text.count)
        }
      }
      guard end == nil else { throw Failure(message: "\"[\" is never closed") }
      return parts
    }

    private mutating func placeholder() throws(Failure) -> Part {
      guard let end = rest.firstIndex(of: "}") else {
        throw Failure(message: "\"{\" is never closed")
      }
      let text = rest[rest.index(after: rest.startIndex)..<end]
      rest = rest[rest.index(after: end)...]
      let isPlain = text.hasPrefix("+")
      let words = text.drop { $0 == "+" }.split(
        separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
      guard let name = Name(rawValue: words.first.map(String.init) ?? ""), allowed.contains(name)
      else {
        throw Failure(
          message: "it has no placeholder \"{\(text)}\"; there are "
            + allowed.map { "{\($0.rawValue)}" }.joined(separator: ", "))
      }
      let form =
        isPlain ? Form.plain : words.count > 1 ? Form(rawValue: String(words[1])) : .encoded
      guard let form, name == .url || form == .encoded, !isPlain || words.count == 1 else {
        throw Failure(
          message:
            "\"{\(text)}\" has no such form; there are {url}, {+url}, {url:path}, {url:base64url}")
      }
      names.insert(name)
      return .value(name, form)
    }
  }
}

extension Template.Form {
  fileprivate func applied(to value: String, of name: Template.Name) -> String {
    guard name == .url else { return value }
    return switch self {
    case .plain: value
    case .base64url: Base64.encodeForURLs(Array(value.utf8), isPadded: false)
    case .encoded: PercentEncoding.encode(value)
    case .path: PercentEncoding.encode(value, keeping: ":/")
    }
  }
}
