import Foundation

/// The JSON Schemas that ship with the product, with Debian's python3-jsonschema.
package enum JSONSchema {
  /// Why a document does not follow a schema; empty if it does.
  ///
  /// - Parameter schema: such as `changes`, of `Examples/catalog/changes.schema.json`.
  package static func errors(of path: String, by schema: String) async throws -> String {
    let code = """
      import json, sys, jsonschema
      schema, document = (json.load(open(path)) for path in sys.argv[1:])
      print(*(error.message for error in jsonschema.Draft202012Validator(schema).iter_errors(document)))
      """
    let file = Places.root.appending(path: "Examples/catalog/\(schema).schema.json").path
    let result = try await Tool.run("/usr/bin/python3", ["-c", code, file, path])
    return result.status == 0 ? result.output.trimmingCharacters(in: .newlines) : result.errors
  }

  /// The schemas of `Examples/operations/reports`: `verify` for `verify.schema.json`.
  package static var reports: Set<String> {
    get throws {
      let names = try FileManager.default.contentsOfDirectory(atPath: reportFolder.path)
      return Set(names.map { $0.replacing(".schema.json", with: "") })
    }
  }

  private static let reportFolder = Places.root.appending(path: "Examples/operations/reports")

  /// Why reports do not follow their schemas, a line each; empty if all do. A member that the schema does not have is
  /// a mistake, too.
  ///
  /// - Parameter reports: the name of the schema, and the document.
  package static func errors(
    ofReports reports: [(schema: String, text: String)]
  ) async throws -> String {
    let code = """
      import json, sys, jsonschema
      def closed(value):
          if isinstance(value, dict):
              if "properties" in value: value.setdefault("additionalProperties", False)
              for member in value.values(): closed(member)
          elif isinstance(value, list):
              for element in value: closed(element)
      for name, text in json.load(sys.stdin):
          schema = json.load(open(f"{sys.argv[1]}/{name}.schema.json"))
          jsonschema.Draft202012Validator.check_schema(schema)
          closed(schema)
          for error in jsonschema.Draft202012Validator(schema).iter_errors(json.loads(text)):
              print(name, error.json_path, error.message)
      """
    let input = try JSONEncoder().encode(reports.map { [$0.schema, $0.text] })
    let result = try await Tool.run(
      "/usr/bin/python3", ["-c", code, reportFolder.path],
      input: String(decoding: input, as: UTF8.self))
    return result.output + result.errors
  }
}
