internal import TesseraOutput
internal import TesseraPipelineFile
internal import TesseraPlaceholder
internal import TesseraPlan
internal import TesseraState
internal import TesseraSystem
internal import TesseraWire

/// Plans the files of an item and looks up which of them exist.
struct FilePlanner: Sendable {
  let settings: PlanSettings
  let profile: PipelineFile.Profile
  let placeholders: [Placeholders.Kind]
  let libvips: String
  let state: StateStore
  let output: any Output

  /// - Parameters:
  ///   - digest: SHA-256 of the source's bytes.
  ///   - format: the source's, as the catalog names it.
  ///   - isNew: whether the state has no content with this digest, and so no files of it.
  func blueprint(
    _ digest: String, _ format: String, _ facts: SourceFacts, for item: Item, isNew: Bool = false
  ) async throws -> Blueprint {
    let source = facts.planned(format, focus: item.focus)
    let plan = Plan(for: source, settings: settings, slots: item.slots)
    // How to decode follows from all slots, whatever the item names: the bytes of a file must not
    // depend on which item needed it first.
    let whole = item.slots == nil ? plan : Plan(for: source, settings: settings)
    let decode = whole.decode(of: facts.size)
    let keys = plan.files.map {
      Fingerprint.variant(content: digest, decode: decode, recipe: $0.recipe, libvips: libvips)
    }
    let placeholderKey = Fingerprint.placeholder(content: digest, decode: decode, libvips: libvips)
    let (variants, placeholder) =
      isNew
      ? (keys.map { _ in nil }, nil) : try await state.made(keys, placeholder: placeholderKey)
    var records: [VariantRecord?] = []
    for record in variants {
      if let record { try await records.append(published(record)) } else { records.append(nil) }
    }
    return Blueprint(
      content: digest, facts: facts, decode: decode, plan: plan, keys: keys, records: records,
      placeholderKey: placeholderKey,
      placeholder: placeholders.isEmpty
        ? Placeholders() : placeholder.flatMap { $0.has(placeholders) ? $0 : nil })
  }

  /// Nil if the file is missing or not whole: then the record counts as missing.
  private func published(_ record: VariantRecord) async throws(PipelineError) -> VariantRecord? {
    do throws(SystemError) {
      guard try await output.has(record.path, bytes: record.bytes) else { return nil }
      // The full catalog has the digest, which early versions did not store.
      guard profile == .full, record.sha256 == nil else { return record }
      var record = record
      record.sha256 = try await output.digest(of: record.path)
      return record
    } catch {
      throw .system(error)
    }
  }
}
