internal import TesseraSystem

/// The form of a catalog. The raw value is the extension of its name.
package enum CatalogForm: String, Sendable, CaseIterable {
  case json
  /// One line for the head and one for each image, so that a reader can stream it.
  case jsonl

  /// The name of a catalog of this form in an output.
  var name: String { "catalog.\(rawValue)" }

  /// Deletes the catalog of the other form, which would be out of date from now on.
  func deleteOthers(in output: any Output) async throws(SystemError) {
    for other in Self.allCases where other != self { try await output.delete(other.name) }
  }
}
