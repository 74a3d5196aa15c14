internal import TesseraCatalog
internal import TesseraJSON
package import TesseraSystem
package import TesseraText

/// Takes images out of all documents of an output that list images: catalogs, their screens, tables and results of
/// shards. Each document is replaced as a whole; what was done is found done if it is done again.
package struct CatalogErasure {
  let output: any Output
  let workspace: Workspace
  private let ids: Set<Identifier>
  private let gate: LineGate

  /// What was taken out.
  package struct Erased: Sendable, Equatable {
    /// Files that the images had, relative to the output.
    package var files: Set<Identifier> = []
    /// Their URLs at an image service.
    package var serviceURLs: Set<Identifier> = []
    /// The URLs of their sources, as the catalog showed them.
    package var sources: Set<Identifier> = []
    /// Documents that were replaced or deleted, relative to the output.
    package var documents: Set<Identifier> = []
    /// The ids that were found.
    package var ids: Set<Identifier> = []
  }

  package internal(set) var erased = Erased()
  /// What of the current catalog is another now, in its order: where that was in bytes, and how many it has now.
  package private(set) var edits: [(range: Range<Int>, length: Int)] = []

  /// - Parameters:
  ///   - ids: of images besides those that are marked as forgotten.
  ///   - others: outputs whose marks count, too.
  ///   - workspace: of which this process holds the lock.
  package init(
    _ ids: [String], from output: any Output, and others: [any Output] = [], _ workspace: Workspace
  ) async throws(SystemError) {
    (self.output, self.workspace, self.ids) = (output, workspace, Set<Identifier>(of: ids))
    gate = try await LineGate(of: output, and: others)
  }

  /// All documents that list images, for what replaces them. One that can't be read may list any image, and no reader can
  /// use it: it is deleted.
  package mutating func eraseDocuments() async throws(SystemError) {
    while true {
      do throws(SystemError) { return try await eraseReadable() } catch {
        guard let path = damaged(error), try await output.size(of: path) != nil else { throw error }
        // First, so that the list names nothing that is gone.
        try await CatalogHistory(of: output, workspace).drop(path)
        try await output.delete(path)
        erased.documents.insert(path)
      }
    }
  }

  /// The document that an error says can't be read: a catalog, or one of a screen.
  package func damaged(_ error: SystemError) -> String? {
    let start = FileSystem.join(output.location, "")
    guard error.isDamage, error.path.begins(with: start) else { return nil }
    let path = String(error.path.dropFirst(start.count))
    let isOne = [.catalog, .screens].contains(OutputPlace.of(path)) || KeptCatalog.isPath(path)
    return isOne ? path : nil
  }

  private mutating func eraseReadable() async throws(SystemError) {
    try await eraseCurrent()
    try await eraseKept()
    try await eraseShards()
    try await deleteChanges()
    try await deleteParts()
    try await eraseReport("run.json")
    try await end()
  }

  /// To be called when all documents are without the images.
  package func end() async throws(SystemError) {
    try await CatalogHistory(of: output, workspace).note(gate)
  }

  // MARK: Catalogs

  /// The current catalog with its screens.
  package mutating func eraseCurrent() async throws(SystemError) {
    try workspace.documentCopy.remove()
    let current = try await CurrentCatalog(of: output)
    guard current != nil, let new = try await rewritten(CurrentCatalog.path) else {
      return try await eraseOrphans(besides: [current?.digest])
    }
    // The second is that of documents which a killed erasure has written already.
    try await eraseOrphans(besides: [current?.digest, new.digest])
    let pair = CatalogPair(of: output, workspace)
    var companions: [String: WorkFile] = [:]
    for path in try await ScreenFolder.firsts(in: output) {
      companions[path] = try pair.staged(
        path, try await rewritten(screen: path, at: path, new.digest))
    }
    try await pair.replace(current, by: new.file, companions: companions)
    erased.documents.formUnion(Set<Identifier>(of: [CurrentCatalog.path] + companions.keys))
  }

  /// Companions that a killed run has left of a catalog that it did not write; the next run writes them again.
  ///
  /// - Parameter digests: of the catalogs whose companions stay.
  private mutating func eraseOrphans(besides digests: [String?]) async throws(SystemError) {
    for path in try await ScreenFolder.firsts(in: output) {
      let catalog = try await ScreenFolder.parts(of: path, in: output)?.catalog
      guard !digests.contains(catalog) else { continue }
      try await output.delete(path)
      erased.documents.insert(path)
    }
  }

  /// Catalogs that were replaced earlier. They get new names, which follow from their content.
  package mutating func eraseKept() async throws(SystemError) {
    guard var kept = try await CatalogHistory.kept(in: output) else {
      return try await CatalogHistory(of: output, workspace).removeUnlisted(nil)
    }
    let before = kept
    for (place, entry) in kept.catalogs.enumerated() {
      guard try await output.size(of: entry.path) != nil else {
        // What is left of it says no less of the images.
        kept.catalogs[place].companions = [:]
        continue
      }
      guard let new = try await rewritten(entry.path) else { continue }
      var entry = entry
      (entry.digest, entry.images) = (new.digest, new.count)
      entry.path = KeptCatalog.path(digest: new.digest)
      entry.bytes = new.file.size ?? 0
      try await output.write(entry.path, staged: new.file)
      for (companion, path) in entry.companions {
        guard try await output.size(of: path) != nil else {
          entry.companions[companion] = nil
          continue
        }
        let target = KeptCatalog.path(digest: new.digest, companion: companion)
        try await output.write(target, try await rewritten(screen: companion, at: path, new.digest))
        entry.companions[companion] = target
      }
      kept.catalogs[place] = entry
    }
    let history = CatalogHistory(of: output, workspace)
    if kept != before { try await history.write(kept) }
    // Also what a killed process has left there.
    try await history.removeUnlisted(kept)
  }

  /// A staged catalog without the images; nil if the present one has none of them, and no table with them.
  private mutating func rewritten(
    _ path: String
  ) async throws(SystemError) -> (file: WorkFile, count: Int, digest: String)? {
    var (count, first) = (0, nil as Int?)
    var removed: [(range: Range<Int>, length: Int)] = []
    var texts = CatalogTexts(path, in: output)
    while let (text, offset) = try await texts.nextPlaced() {
      first = first ?? offset
      if try take(text, of: texts) {
        // With what separates it from the next one.
        removed.append((offset..<offset + text.count + 2, 0))
      } else {
        count += 1
      }
    }
    let found = !removed.isEmpty
    let (line, hadTables) = Self.headLine(try texts.head, without: ids.union(erased.ids))
    guard found || hadTables else { return nil }
    var draft = try CatalogDraft(
      head: line, count: count, through: gate, in: workspace, named: "erased.json")
    if path == CurrentCatalog.path, let first {
      edits = [(0..<first, draft.offset)] + removed
    }
    var images = CatalogTexts(path, in: output)
    while let text = try await images.next() {
      if try !isErased(text, of: images) { try draft.add(text) }
    }
    let (file, digest) = try draft.finish()
    return (file, count, digest)
  }

  private func isErased(_ text: [UInt8], of texts: CatalogTexts) throws(SystemError) -> Bool {
    try isErased(Self.image(text, of: texts))
  }

  private func isErased(_ image: CatalogLine) -> Bool {
    guard let id = image.id else { return false }
    return ids.contains(id) || !gate.admits(id: id, url: image.url)
  }

  private static func image(
    _ text: [UInt8], of texts: CatalogTexts
  ) throws(SystemError) -> CatalogLine {
    guard let image = CatalogLine(text) else {
      throw texts.damaged("an image is not valid JSON")
    }
    return image
  }

  /// Notes what an image has, if it is one of those that are erased.
  mutating func take(_ text: [UInt8], of texts: CatalogTexts) throws(SystemError) -> Bool {
    take(try Self.image(text, of: texts), texts.formats)
  }

  /// - Parameter formats: of its catalog.
  private mutating func take(_ image: CatalogLine, _ formats: [CatalogFormat]) -> Bool {
    guard let id = image.id, isErased(image) else { return false }
    erased.ids.insert(id)
    erased.files.formUnion(Set<Identifier>(of: (image.files(formats) ?? []).map(\.path)))
    erased.serviceURLs.formUnion(Set<Identifier>(of: image.serviceURLs))
    if let url = image.url { erased.sources.insert(url) }
    return true
  }

  /// A catalog's head for ``CatalogDraft``, without the files of tables that have one of the images: clients then show
  /// the images' own files, and the next run makes the tables again.
  static func headLine(
    _ head: JSONValue, without ids: Set<Identifier>
  ) -> (line: [UInt8], hadTables: Bool) {
    guard case .object(var members) = head else { return ([], false) }
    members.removeAll { ["count", "digest", "images"].contains($0.name) }
    let hashes = ids.map { TableHash.of($0.text) }
    var hadTables = false
    func hasOne(_ file: JSONValue) -> Bool {
      let prefix = file["prefix"]?.stringValue ?? ""
      return hashes.contains { TablePrefix.matches(prefix, $0) }
    }
    for index in members.indices where members[index].name == "tables" {
      members[index].value = members[index].value.mappingElements { table in
        guard case .object(var parts) = table else { return table }
        for part in parts.indices where parts[part].name == "files" {
          let files = parts[part].value.arrayValue ?? []
          let rest = files.filter { !hasOne($0) }
          hadTables = hadTables || rest.count < files.count
          parts[part].value = .array(rest)
        }
        return .object(parts)
      }
    }
    var writer = JSONWriter()
    writer.value(JSONValue.object(members))
    return (writer.take(), hadTables)
  }

  // MARK: Shards

  /// Results of shards, and their reports.
  package mutating func eraseShards() async throws(SystemError) {
    for folder in try await output.listIfThere(ShardHeader.folder) where folder.kind == .folder {
      for entry in try await output.listIfThere("\(ShardHeader.folder)/\(folder.name)") {
        let path = "\(ShardHeader.folder)/\(folder.name)/\(entry.name)"
        if entry.name.hasSuffix(".run.json") {
          try await eraseReport(path)
        } else if entry.name.hasSuffix(".jsonl"), case .file(let size) = entry.kind {
          try await eraseResult(path, size)
        }
      }
    }
  }

  private mutating func eraseResult(_ path: String, _ size: Int) async throws(SystemError) {
    let lines = try await output.read(path, size, at: 0).split(separator: UInt8(ascii: "\n"))
    guard let first = lines.first, var header = ShardHeader(line: Array(first)) else { return }
    var kept: [ArraySlice<UInt8>] = []
    for line in lines.dropFirst() {
      guard let text = ShardHeader.image(line)?.image,
        let image = CatalogLine(text), isErased(image)
      else {
        kept.append(line)
        continue
      }
      _ = take(image, header.formats)
      header.images -= 1
      if let status = image.status { header.counts[status, default: 0] -= 1 }
    }
    guard kept.count < lines.count - 1 else { return }
    header.counts = header.counts.filter { $0.value > 0 }
    let staged = workspace.staging("erased.shard")
    let file = try staged.open(.write)
    try file.write(header.line + [UInt8(ascii: "\n")])
    for line in kept { try file.write(line + [UInt8(ascii: "\n")]) }
    try await output.write(path, staged: staged)
    erased.documents.insert(path)
  }

  // MARK: Reports

  /// A report of a run: examples, slowest items and messages that name an image.
  package mutating func eraseReport(_ path: String) async throws(SystemError) {
    guard let bytes = try await output.document(path), let report = try? JSONParser.parse(bytes)
    else { return }
    let all = ids.union(erased.ids)
    let rest = report.withoutImages(naming: all.union(erased.sources).texts) { id in
      all.contains(id) || !gate.admits(id: id, url: nil)
    }
    guard rest != report else { return }
    var writer = JSONWriter(indent: 2)
    writer.value(rest)
    try await output.write(path, writer.take() + [UInt8(ascii: "\n")])
    erased.documents.insert(path)
  }
}

extension JSONValue {
  /// An object of arrays, with each of their elements changed.
  fileprivate func mappingElements(_ change: (JSONValue) -> JSONValue) -> JSONValue {
    guard case .object(var members) = self else { return self }
    for index in members.indices {
      members[index].value = .array((members[index].value.arrayValue ?? []).map(change))
    }
    return .object(members)
  }
}

// What a catalog has beside it: documents of screens with their parts, and changes.
extension CatalogErasure {
  /// The first document of a screen without the images, of a catalog. Writes parts without them.
  ///
  /// - Parameters:
  ///   - first: its path beside the current catalog.
  ///   - path: where it is.
  mutating func rewritten(
    screen first: String, at path: String, _ digest: String
  ) async throws(SystemError) -> [UInt8] {
    var (head, lines, _) = try await rest(of: path)
    let screen = ScreenFolder.screen(ofFirst: first) ?? ""
    let parts = head["parts"]?.arrayValue?.compactMap(\.stringValue) ?? []
    var left: [String] = []
    for part in parts {
      // That of a document that was written when its part was already erased.
      guard try await output.size(of: part) != nil else { continue }
      let (head, lines, found) = try await rest(of: part)
      if !found { left.append(part) }
      guard found else { continue }
      erased.documents.insert(part)
      guard !lines.isEmpty else { continue }
      let bytes = ScreenFolder.document(Self.headLine(head, without: []).line, lines)
      left.append(ScreenFolder.part(of: screen, bytes))
      try await output.write(ScreenFolder.part(of: screen, bytes), bytes)
    }
    if case .object(let members) = head {
      head = .object(
        members.compactMap { member in
          switch member.name {
          case "catalog": JSONValue.Member("catalog", .string(digest))
          case "parts" where left.isEmpty: nil
          case "parts": JSONValue.Member("parts", .array(left.map { .string($0) }))
          default: member
          }
        })
    }
    return ScreenFolder.document(Self.headLine(head, without: []).line, lines)
  }

  /// A document of a screen without the images, and whether it had any of them.
  private mutating func rest(
    of path: String
  ) async throws(SystemError) -> (head: JSONValue, lines: [[UInt8]], found: Bool) {
    var texts = CatalogTexts(path, in: output)
    var (lines, found) = ([[UInt8]](), false)
    while let text = try await texts.next() {
      if try take(text, of: texts) { found = true } else { lines.append(text) }
    }
    return (try texts.head, lines, found)
  }

  /// Deletes parts that no document names and that have one of the images: those of catalogs that are not kept any more, and
  /// those of killed runs.
  package mutating func deleteParts() async throws(SystemError) {
    let kept = try await CatalogHistory.kept(in: output)?.catalogs ?? []
    var named: Set<String> = []
    for path in try await ScreenFolder.firsts(in: output) + kept.flatMap(\.companions.values)
    where try await output.size(of: path) != nil {
      named.formUnion(try await ScreenFolder.parts(of: path, in: output)?.parts ?? [])
    }
    for folder in try await ScreenFolder.all(in: output) {
      for entry in try await output.listIfThere(folder) {
        let path = "\(folder)/\(entry.name)"
        guard CatalogScreen.isPart(path), !named.contains(path), try await rest(of: path).found
        else { continue }
        erased.documents.insert(path)
        try await output.delete(path)
      }
    }
  }

  /// Deletes all changes, any of which may name the images; the next run makes them again.
  package mutating func deleteChanges() async throws(SystemError) {
    for path in try await PublishedChanges.all(in: output) {
      try await output.delete(path)
      erased.documents.insert(path)
    }
  }
}
