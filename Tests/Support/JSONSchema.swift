import Foundation

/// The JSON Schemas that ship with the product, with Debian's python3-jsonschema.
package enum JSONSchema {
  /// Why a document does not follow a schema; empty if it does.
  ///
  /// - Parameter schema: such as `pages`, of `Examples/catalog/pages.schema.json`.
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
}
