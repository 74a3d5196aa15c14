package import TesseraCatalog
internal import TesseraJSON
internal import TesseraOutput
internal import TesseraPlan
internal import TesseraState
internal import TesseraSystem

/// Items that need nothing new: their lines of an earlier run still apply, word for word. Most items of
/// most runs are of this kind, so they are looked up in batches, and nothing of theirs is computed or
/// written again.
///
/// A line still applies if its item, everything in the pipeline that shapes it, and what is known of its
/// source are unchanged; if the source is fresh, or turns out to be unchanged; and if all its files are
/// there.
package struct LineReuse: Sendable {
  let state: StateStore
  let parent: ParentLines
  let output: any Output
  let verdicts: Verdicts
  let clock: WallClock
  let places: FinalURLs
  /// A digest of everything but the item and its source that shapes a line.
  let settings: String
  let names: FileNames
  /// Files of each variant.
  let formats: Int
  /// Whether lines of earlier runs may apply; if not, every item is processed, and its new line may apply later.
  var appliesLines = true
  /// Nil without an upgrade.
  var upgrades: UpgradeQueue?

  /// A line that still applies, and what it names.
  package final class Line: Sendable {
    /// Its item needs nothing, or that the server confirms the source, as it is in the record.
    let verdict: Verdict
    let record: SourceRecord
    /// Where the line is in the parent.
    let range: Range<Int>
    let kept: KeptLine
    /// What files of a better format would be worth; nil if the image has them, or can't have any.
    let upgrade: UpgradeValue?

    init(
      _ verdict: Verdict, _ record: SourceRecord, _ range: Range<Int>, _ kept: KeptLine,
      upgrade: UpgradeValue? = nil
    ) {
      (self.verdict, self.record, self.range) = (verdict, record, range)
      (self.kept, self.upgrade) = (kept, upgrade)
    }
  }

  /// What is known of an item before its turn. It holds as long as no other item works on its source.
  package enum Lookup: Sendable {
    /// Its line of an earlier run applies, or will once the server has confirmed the source.
    case stands(Line)
    /// Nothing is known of its source.
    case new

    /// Whether nothing is left to do.
    var isFresh: Bool {
      if case .stands(let line) = self { line.verdict.needsNothing } else { false }
    }
  }

  func inputs(_ item: Item) -> LineInputs {
    LineInputs(settings: settings, entry: item.entryDigest, source: item.sourceKey)
  }

  /// An answer for each item; nil if it has to be looked up when it is processed. What concerns the
  /// claim of its id is added to its request.
  func lookUpLines(
    _ items: [Item], _ requests: inout [StateStore.ClaimRequest]
  ) async throws -> [Lookup?] {
    let known = try await state.lookUpLines(
      items.map { .init($0.id, source: $0.sourceKey, url: $0.requestKey) })
    let now = clock.now()
    let claims = zip(known, items).map { known, item in
      appliesLines ? known.line.flatMap { claim($0, of: item, now) } : nil
    }
    var rest = try await output.stillHas(claims.flatMap { $0?.files ?? [] })[...]
    var lookUpLines: [Lookup?] = []
    for (index, claim) in claims.enumerated() {
      var lookup = known[index].isNew ? Lookup.new : nil
      if let claim {
        if rest.prefix(claim.files.count).allSatisfy(\.self) {
          lookup = .stands(claim.line)
          let verdict = claim.line.verdict
          requests[index].standing = verdict.needsNothing ? verdict.reason : nil
        }
        rest = rest.dropFirst(claim.files.count)
      }
      lookUpLines.append(lookup)
    }
    return lookUpLines
  }

  /// A line that applies if all of the files are there.
  private typealias Claim = (line: Line, files: [(path: String, bytes: Int)])

  private func claim(_ known: StateStore.KnownLine, of item: Item, _ now: Double) -> Claim? {
    guard
      let verdict = verdicts.verdict(
        ofLineOf: known.source, isRejected: known.isRejected,
        condition: places.known(known.source, of: item).condition, now: now),
      let line = parent.line(item.id, inChunk: known.chunk),
      inputs(item).mark(item.id, sum: LineInputs.sum(of: line.text), known.source) == known.made,
      // A line that cannot be read is not an error: its item is processed.
      let text = ReusedLine(line.text, names.formats)
    else { return nil }
    // The place of a fresh one is not needed.
    let record = verdict.needsNothing ? known.source : places.known(known.source, of: item)
    let kept = KeptLine(
      freshUntil: verdicts.freshness.end(of: record.confirmation), places: text.places * formats,
      files: text.files.count)
    let found = Line(
      verdict, record, line.range, kept,
      upgrade: upgrades?.value(ofLine: line.text, names.formats, files: text.files))
    return (found, text.files)
  }
}

/// What the verdict on a line of the catalog needs of it.
///
/// It is read without a tree of the whole line, which costs four times as much: most items of most runs
/// come here.
package struct ReusedLine {
  /// All files of its variants.
  package var files: [(path: String, bytes: Int)] = []
  /// Slots at scales that its variants serve.
  var places = 0

  /// Nil if the line is not one of an image with files.
  ///
  /// - Parameter formats: of the catalog.
  package init?(_ line: some Sequence<UInt8>, _ formats: [CatalogFormat]) {
    var (source, variants) = (nil as String?, [Variant]())
    do throws(JSONScanner.Failure) {
      var scanner = JSONScanner(Array(line))
      var places = 0
      try scanner.members { scanner, name, _ throws(JSONScanner.Failure) in
        switch name {
        case "source": source = try scanner.string()
        case "variants":
          try scanner.array { scanner throws(JSONScanner.Failure) in
            variants.append(try Variant(&scanner))
          }
        case "slots": places = try Self.places(&scanner)
        default: try scanner.skip()
        }
      }
      self.places = places
    } catch {
      return nil
    }
    guard let source, variants.allSatisfy({ $0.bytes.count <= formats.count }) else { return nil }
    for variant in variants {
      for (format, bytes) in zip(formats, variant.bytes) {
        guard let bytes else { continue }
        guard let recipe = format.recipe, let ending = format.fileExtension else { return nil }
        let path = FileName.path(
          source: source, width: variant.width, height: variant.height, crop: variant.crop,
          recipe: recipe, fileExtension: ending)
        files.append((path, bytes))
      }
    }
    if files.isEmpty { return nil }
  }

  private struct Variant {
    var width = 0
    var height = 0
    var crop: String?
    var bytes: [Int?] = []

    init(_ scanner: inout JSONScanner) throws(JSONScanner.Failure) {
      try scanner.members { scanner, name, _ throws(JSONScanner.Failure) in
        switch name {
        case "width": width = try scanner.int()
        case "height": height = try scanner.int()
        case "crop": crop = try scanner.string()
        case "bytes":
          try scanner.array { scanner throws(JSONScanner.Failure) in
            bytes.append(scanner.null() ? nil : try scanner.int())
          }
        default: try scanner.skip()
        }
      }
    }
  }

  private static func places(
    _ scanner: inout JSONScanner
  ) throws(JSONScanner.Failure) -> Int {
    var count = 0
    try scanner.members { scanner, _, _ throws(JSONScanner.Failure) in
      try scanner.members { scanner, name, _ throws(JSONScanner.Failure) in
        guard name == "variants" else { return try scanner.skip() }
        try scanner.array { scanner throws(JSONScanner.Failure) in
          count += 1
          try scanner.skip()
        }
      }
    }
    return count
  }
}
