internal import TesseraPlan
internal import TesseraState
internal import TesseraWorkers

/// What one item needs of a content, and which of it exists: the plan, with the published record of
/// each of its files.
struct FilePlan: Sendable {
  /// What it is of, and how that is decoded.
  let source: ContentKeys
  var plan: Plan
  /// Of the record of each of the plan's files.
  let keys: [String]
  /// One for each of the plan's files; nil if it is not published.
  var records: [VariantRecord?]
  var placeholder: Placeholders?
  /// Whether it has the files of the better format, as far as there can be any.
  var isUpgraded = false

  /// The searches for qualities that the plan needs, with what they found.
  var searches: [KnownSearch] = []

  /// A search for a quality.
  struct KnownSearch: Sendable {
    let search: Plan.QualitySearch
    /// In the state.
    let key: String
    /// Nil if the search has to be made.
    var found: FoundQuality?
  }

  /// SHA-256 of the source's bytes.
  var content: String { source.content }
  var facts: SourceFacts { source.facts }
  var decode: DecodePlan { source.decode }
  var placeholderKey: String { source.placeholder }

  var isComplete: Bool { !records.contains(nil) && placeholder != nil }

  /// Indices of the files that have to be made.
  var missing: [Int] { records.indices.filter { records[$0] == nil } }
}
