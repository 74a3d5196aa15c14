package import TesseraJSON

/// What documentation has of a key.
package struct KeyNote: Sendable {
  package let name: String
  package let isRequired: Bool
  /// What the key is for, in one sentence or two.
  package let about: String
  /// A JSON Schema of its values.
  package let schema: JSONValue
  package let shapes: Shaping
  /// The default; nil for none.
  package let standard: JSONValue?
  package let example: JSONValue?
  /// Whether a file may have the key only with other ones.
  let isConditional: Bool
  /// Who needs it; a member of a group has that of its group.
  package let use: KeyUse
  /// The keys of a group.
  package let members: [KeyNote]
}

/// Who needs a key: by this, lists of keys are divided.
package enum KeyUse: String, Sendable, CaseIterable {
  /// A person who writes a pipeline.
  case everyday = "Every day"
  /// One who keeps it running: guards, limits, places.
  case operation = "Operation"
  /// One who wants fewer bytes, fewer requests or more speed.
  case tuning = "Tuning"
}

/// What changes with the value of a key.
package enum Shaping: String, Sendable {
  /// Only how a run works: what it requests, when, and how fast.
  case nothing
  /// The files, and so the entries of images.
  case files
  /// The entries of images, but no file.
  case entries
  /// The catalog around its entries.
  case catalog
  /// Whether a source is accepted that an earlier run rejected.
  case acceptance
}
