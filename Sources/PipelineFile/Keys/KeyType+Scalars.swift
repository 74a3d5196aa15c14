internal import TesseraJSON
internal import TesseraSystem
internal import TesseraText

/// The types of single values.

extension KeyType where Value == Int {
  /// - Parameter expected: nil for "a whole number from … to …".
  static func int(_ range: ClosedRange<Int>, _ expected: String? = nil) -> KeyType {
    scalar(
      expected ?? "a whole number from \(range.lowerBound) to \(range.upperBound)",
      schema: schema(of: range), json: JSONValue.int
    ) { Int($0).flatMap { range.contains($0) ? $0 : nil } }
  }

  static func schema(of range: ClosedRange<Int>) -> JSONValue {
    ["type": "integer", "minimum": .int(range.lowerBound), "maximum": .int(range.upperBound)]
  }

  /// A size in bytes.
  static func bytes(atLeast least: Int = 1, _ expected: String) -> KeyType {
    scalar(
      expected, schema: quantity("B|kB|KB|MB|GB|KiB|MiB|GiB", atLeast: least),
      json: { .string(written($0) + "B") },
      parse: {
        Units.bytes($0).flatMap { $0 >= least ? $0 : nil }
      })
  }

  /// Bytes per second.
  static var rate: KeyType {
    scalar(
      "a rate such as 1KB/s",
      schema: [
        "type": "string", "pattern": "^[0-9]+(\\.[0-9]+)? *(B|kB|KB|MB|GB|KiB|MiB|GiB)?/s$",
      ], json: { .string(written($0) + "B/s") }, parse: Units.rate)
  }

  /// A count of pixels.
  static func pixelCount(example: String = "100MP") -> KeyType {
    scalar(
      "a count of pixels, such as \(example)", schema: quantity("kP|MP|GP"),
      json: {
        let text = written($0)
        return .string(text.last?.isNumber == true ? text : text.replacing("K", with: "k") + "P")
      }, parse: { Units.pixels($0).flatMap { $0 > 0 ? $0 : nil } })
  }

  /// The schema does not compare a text with a unit.
  private static func quantity(_ units: String, atLeast least: Int = 1) -> JSONValue {
    [
      "anyOf": [
        ["type": "integer", "minimum": .int(least)],
        ["type": "string", "pattern": .string("^[0-9]+(\\.[0-9]+)? *(\(units))?$")],
      ]
    ]
  }

  /// A number with the largest multiple of a thousand that divides it: `64M`.
  private static func written(_ number: Int) -> String {
    for (factor, unit) in [(1_000_000_000, "G"), (1_000_000, "M"), (1_000, "K")]
    where number > 0 && number.isMultiple(of: factor) {
      return "\(number / factor)\(unit)"
    }
    return String(number)
  }
}

extension KeyType where Value == Duration {
  static var duration: KeyType {
    scalar(
      "a duration of at least 1ms, such as 500ms, 15s, 2m or 1h",
      schema: [
        "type": "string", "pattern": .string(pattern), "not": ["pattern": "^0+(\\.0+)? *[a-z]+$"],
      ], json: { .string(Units.written($0)) },
      parse: { Units.duration($0).flatMap { $0 > .zero ? $0 : nil } })
  }

  static var durationOrZero: KeyType {
    scalar(
      "a duration, such as 500ms, 15s, 2m or 1h",
      schema: ["type": "string", "pattern": .string(pattern)],
      json: { .string(Units.written($0)) }, parse: Units.duration)
  }

  private static var pattern: String { "^[0-9]+(\\.[0-9]+)? *(ms|s|m|h|d)$" }
}

extension KeyType where Value == Bool {
  static var bool: KeyType {
    scalar("true or false", schema: ["type": "boolean"], json: JSONValue.bool, parse: Bool.init)
  }
}

extension KeyType where Value == Double {
  static var percentage: KeyType {
    scalar(
      "a percentage from 0% to 100%",
      schema: [
        "type": "string",
        "pattern": "^((100|[0-9]{1,2})(\\.0+)?|[0-9]{1,2}\\.[0-9]+)%$",
      ], json: { .string(Units.text(percentage: $0)) }, parse: Units.percentage)
  }
}

extension KeyType where Value == String {
  /// A text that is not empty.
  static func text(_ expected: String) -> KeyType {
    scalar(
      expected, schema: ["type": ["string", "number"], "minLength": 1], json: JSONValue.string
    ) { $0.isEmpty ? nil : $0 }
  }

  /// A text that may be empty.
  static func word(_ expected: String) -> KeyType {
    scalar(
      expected, schema: ["type": ["string", "integer", "boolean"]], json: JSONValue.string
    ) { $0 }
  }

  /// A text that can be part of a request's header without ending it.
  static var line: KeyType {
    scalar(
      "a line of text", schema: ["type": ["string", "number"], "minLength": 1],
      json: JSONValue.string
    ) { text in
      let isLine = text.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F }
      return isLine && !text.isEmpty ? text : nil
    }
  }

  static func webURL(_ example: String) -> KeyType {
    url("a URL, such as \(example)", beginnings: ["https?://"])
  }

  /// The URL of a folder: on the web, or of this machine, which ends with a slash. A path of one begins with a point or a slash, so that a host without its scheme is none.
  static func folderURL(_ example: String) -> KeyType {
    let pattern = "^(https?://|file:///(.*/)?$|\\.{1,2}(/|$)|/)"
    return scalar(
      "a URL, such as \(example), or a folder that is there: ., that of the pipeline file, ./photos or /srv/photos",
      schema: ["type": "string", "pattern": .string(pattern)], json: JSONValue.string
    ) { text, folder in
      guard (try? Regex(pattern).prefixMatch(in: text)) != nil else { return nil }
      guard text.begins(with: ".") || text.begins(with: "/") else { return text }
      let path = FileSystem.join(folder, text)
      guard FileSystem.isDirectory(path), let place = FileSystem.realPath(path) else { return nil }
      return "file://"
        + PercentEncoding.encode(place.hasSuffix("/") ? place : place + "/", keeping: "/")
    }
  }

  /// What URLs begin with, on the web or of this machine.
  static func prefixURL(_ example: String) -> KeyType {
    url(
      "a URL, such as \(example), file:///srv/images/, or file:// for paths from the root",
      beginnings: ["https?://", "file://(/|$)"])
  }

  private static func url(_ expected: String, beginnings: [String]) -> KeyType {
    let pattern = "^(\(beginnings.joined(separator: "|")))"
    return scalar(
      expected, schema: ["type": "string", "pattern": .string(pattern)], json: JSONValue.string
    ) { text in (try? Regex(pattern).prefixMatch(in: text)) == nil ? nil : text }
  }
}

extension KeyType where Value: RawRepresentable<String> {
  /// One of several words.
  ///
  /// - Parameters:
  ///   - unsupported: words of the format that have no effect in this version. They get a message of their own.
  ///   - foreign: what other tools call one of the words.
  @_semantics("optimize.sil.specialize.generic.never")
  static func choice(
    _ choices: [Value], unsupported: [String] = [], foreign: [String: Value] = [:]
  ) -> KeyType {
    let names = choices.map(\.rawValue)
    let expected =
      names.count == 1
      ? "\"\(names[0])\"" : "one of \(names.map { "\"\($0)\"" }.joined(separator: ", "))"
    return KeyType(
      expected: expected,
      schema: { _ in orVariable(["enum": .array(names.map { .string($0) })]) },
      read: { node, place, _ in
        guard let text = place.context.text(node, "\"\(place.name)\"", expected: expected) else {
          return nil
        }
        if let value = choices.first(where: { $0.rawValue == text }) { return value }
        if unsupported.contains(text) {
          place.context.report(
            node.mark,
            "\"\(place.name): \(text)\" is not supported in this version; it can be \(expected)")
        } else {
          let known = foreign[text].map { "; \"\(text)\" is \"\($0.rawValue)\" here" }
          let hint = known ?? Nearest.hint(for: text, among: names)
          place.report(node.mark, "must be \(expected), found \(node.kind)\(hint)")
        }
        return nil
      }, json: { .string($0.rawValue) })
  }
}

extension KeyType where Value: RawRepresentable<String> & CaseIterable {
  static var choice: KeyType { choice(Array(Value.allCases)) }
}
