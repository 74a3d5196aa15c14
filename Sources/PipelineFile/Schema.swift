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
