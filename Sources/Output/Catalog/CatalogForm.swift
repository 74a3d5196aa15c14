internal import TesseraSystem

/// The form of a catalog. The raw value is the extension of its name.
package enum CatalogForm: String, Sendable, CaseIterable {
  case json
  /// One line for the head and one for each image, so that a reader can stream it.
  case jsonl

  /// The name of a catalog of this form in an output.
  package var name: String { "catalog.\(rawValue)" }

  /// That of the catalog that was written last; nil if there is none. A run that was killed right after it has written
  /// one of another form has left both.
  ///
  /// - Parameter times: when each was written.
  package static func newest(_ times: [CatalogForm: Double]) -> CatalogForm? {
    // Of two of one moment the first form, on which readers agree.
    allCases.reversed().filter { times[$0] != nil }.max { times[$0]! <= times[$1]! }
  }

  /// Deletes the catalog of the other form, which would be out of date from now on.
  func deleteOthers(in output: any Output) async throws(SystemError) {
    for other in Self.allCases where other != self { try await output.delete(other.name) }
  }
}
