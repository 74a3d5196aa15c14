package import TesseraJSON
internal import TesseraPlan

extension PipelineFile {
  /// The keys with what documentation has of them.
  package static var notes: [KeyNote] { keys.map { $0.note(defaults) } }

  private static let defaults = PipelineFile(reading: .standardInput)

  /// The JSON Schema (draft 2020-12) of pipeline files, for editors.
  package static var schema: JSONValue {
    let keys = KeyType<PipelineFile>.group(keys, isOptional: false)
    return JSONValue.object([
      .init("$schema", "https://json-schema.org/draft/2020-12/schema"),
      .init("title", "Tessera pipeline"),
      .init(
        "description",
        "A Tessera pipeline: which images to process, which sizes to make, and how. ${NAME} in a value is replaced from the environment. Unknown keys are errors."
      ),
    ]).with(keys.schema(defaults))
      .with([
        .init(
          "$defs",
          [
            "variable": [
              "description": "A value from the environment: ${NAME}.", "type": "string",
              "pattern": "\\$\\{[^}]+\\}",
            ]
          ])
      ])
  }

  package static var schemaText: String {
    var writer = JSONWriter(indent: 2)
    writer.value(schema)
    return writer.text + "\n"
  }

  /// What shapes something, one line for each key with its value: equal texts have equal effects.
  package func shape(_ wanted: Set<Shaping>) -> String {
    Self.keys.flatMap { $0.lines(self, "", wanted) }.joined(separator: "\n")
  }
}

extension PipelineFile {
  /// The keys by who needs them.
  package static var keySections: [(title: String, notes: [KeyNote])] {
    KeyUse.allCases.map { use in (use.rawValue, notes.filter { $0.use == use }) }
  }

  /// All keys as a pipeline file, with their defaults and with what each is for. Keys without a default, and those that
  /// need other ones, are comments.
  package static var commentedKeys: String {
    keySections.map { title, notes in
      "# \(title)\n# \(String(repeating: "=", count: title.count))\n\n"
        + notes.map { $0.lines(indent: "") }.joined(separator: "\n")
    }.joined(separator: "\n")
  }
}

extension KeyNote {
  private static let width = 100

  fileprivate func lines(indent: String) -> String {
    let comment = Self.wrapped(about, width: Self.width - indent.count - 2)
      .map { "\(indent)# \($0)\n" }.joined()
    if !members.isEmpty {
      // Without a default in it, the group is a comment as well.
      let hasDefaults = members.contains { $0.standard != nil }
      let inner = hasDefaults ? members.map { $0.lines(indent: indent + "  ") }.joined() : ""
      return comment + (hasDefaults ? "\(indent)\(name):\n" : line(indent)) + inner
    }
    return comment + line(indent)
  }

  private func line(_ indent: String) -> String {
    let isComment = standard == nil && !isRequired || isConditional
    let value = (standard ?? example).map { " \($0.flow)" } ?? ""
    return "\(indent)\(isComment ? "# " : "")\(name):\(value)\n"
  }

  private static func wrapped(_ text: String, width: Int) -> [String] {
    text.split(separator: " ").reduce(into: [String]()) { lines, word in
      if let last = lines.last, last.count + word.count < width {
        lines[lines.count - 1] = "\(last) \(word)"
      } else {
        lines.append(String(word))
      }
    }
  }
}

extension JSONValue {
  /// The value as flow-style YAML.
  fileprivate var flow: String {
    switch self {
    case .object(let members):
      "{\(members.map { "\($0.name): \($0.value.flow)" }.joined(separator: ", "))}"
    case .array(let values): "[\(values.map(\.flow).joined(separator: ", "))]"
    case .string(let text):
      // What would end a plain scalar, or begin something else.
      text.contains(/[#,{}\[\]:" ]|^[-&*!|>%@`]/) && !text.hasPrefix("http") || text.contains(" ")
        ? "\"\(text)\"" : text
    case .number(let text): text
    case .bool(let flag): "\(flag)"
    case .null: "null"
    }
  }
}
