internal import TesseraText

/// A group of keys of the file.
struct KeyGroup {
  let context: DecodingContext
  /// "" for the top level, "fetch." for the keys below `fetch`.
  let prefix: String
  let mark: Mark
  private var pairs: [String: YAMLNode.Pair] = [:]

  init(_ node: YAMLNode, at place: KeyPlace) {
    context = place.context
    prefix = place.name.isEmpty ? "" : "\(place.name)."
    mark = node.mark
    // `fetch:` without keys is a group with all defaults.
    if node.isEmpty { return }
    guard case .mapping(let all) = node.content else {
      let name = prefix.isEmpty ? "a pipeline file" : "\"\(place.name)\""
      context.report(node.mark, "\(name) must be a group of keys, found \(node.kind)")
      return
    }
    for pair in all {
      guard case .scalar(let key, isQuoted: _) = pair.key.content else {
        context.report(pair.key.mark, "a key must be a word, found \(pair.key.kind)")
        continue
      }
      if let first = pairs[key] {
        context.report(
          pair.key.mark,
          "duplicate key \"\(prefix)\(key)\"; line \(first.key.mark.line) has it already")
      } else {
        pairs[key] = pair
        context.found("\(prefix)\(key)", pair)
      }
    }
  }

  /// All keys of the file, in the order of their positions.
  var names: [(name: String, pair: YAMLNode.Pair)] {
    // A dictionary has no order, and headers keep that of the file.
    pairs.map { ($0.key, $0.value) }.sorted {
      ($0.1.key.mark.line, $0.1.key.mark.column) < ($1.1.key.mark.line, $1.1.key.mark.column)
    }
  }

  /// Takes what the file has under the former name of a key for the key, and warns.
  mutating func rename(_ former: String, to name: String) {
    guard let pair = pairs.removeValue(forKey: former) else { return }
    if let other = pairs[name] {
      context.report(
        pair.key.mark,
        "\"\(prefix)\(former)\" is the former name of \"\(prefix)\(name)\", which line \(other.key.mark.line) has already; "
          + "remove it")
      return
    }
    pairs[name] = pair
    context.found("\(prefix)\(name)", pair)
    context.warn(
      pair.key.mark,
      "\"\(prefix)\(former)\" is now \"\(prefix)\(name)\"; the former name works until the next minor version"
    )
  }

  /// The node of a key; nil if the file lacks the key.
  func node(_ key: String) -> YAMLNode? { pairs[key]?.value }

  /// Reports the keys of the file that are not declared.
  func finish(known: [String]) {
    for (name, pair) in names where !known.contains(name) {
      let place = prefix.isEmpty ? "" : " in \"\(prefix.dropLast())\""
      let nearest = Nearest.match(to: name, among: known).map { "\"\($0)\"" }
      let hint = (nearest ?? PipelineFile.place(ofKey: name)).map { "did you mean \($0)?" }
      context.report(
        pair.key.mark,
        "unknown key \"\(name.excerpt)\"\(place); "
          + (hint ?? "the keys are \(known.sorted().joined(separator: ", "))"))
    }
  }
}

extension PipelineFile {
  /// Where a key belongs that is at a wrong level: `"variants.quality"`. Nil if there is none of this name, or if several are.
  static func place(ofKey name: String) -> String? {
    let found = places.filter { $0 == name || $0.hasSuffix(".\(name)") }
    guard found.count == 1 else { return nil }
    return "\"\(found[0])\"" + (found[0] == name ? " at the top level" : "")
  }

  /// The paths of all keys that are declared one by one.
  private static let places: [String] = {
    func places(_ notes: [KeyNote], _ prefix: String) -> [String] {
      notes.flatMap { ["\(prefix)\($0.name)"] + places($0.members, "\(prefix)\($0.name).") }
    }
    return places(notes, "")
  }()
}
