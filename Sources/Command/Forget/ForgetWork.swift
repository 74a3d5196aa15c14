internal import TesseraCatalog
internal import TesseraJSON
internal import TesseraManifest
internal import TesseraOutput
internal import TesseraState
internal import TesseraSystem
internal import TesseraText

/// The work of ``Forgetting`` on an output that is held.
struct ForgetWork {
  private let held: HeldOutput
  private let states: [StateStore]
  private let now: Double
  private var output: any Output { held.output }

  /// Of before; then with those of these images.
  private var marks = ForgottenItems()
  private var ids: [String] = []
  /// Those that are named, and those of each image.
  private var requests: [String] = []
  private var sources: [Identifier: [String]] = [:]
  /// As documents show them.
  private var shown: [Identifier: Set<Identifier>] = [:]
  /// Of the files of the images, which no other image of their products has.
  private var names: [Identifier: Set<Identifier>] = [:]
  private var possessions: Set<Possession> = []
  private(set) var report = ForgetReport()

  init(_ held: HeldOutput, _ states: [StateStore], now: Double) {
    (self.held, self.states, self.now) = (held, states, now)
  }

  /// Finds the images, and what they have.
  mutating func find(_ named: [String], urls: [String], requests: [String]) async throws {
    let wereLost = try await readMarks()
    var found = Set<Identifier>(of: named)
    for state in states {
      found.formUnion(Set<Identifier>(of: try await state.ids(ofSources: requests)))
    }
    // Of those whose marks were lost nothing else is known.
    var unknown = wereLost ? [] : try await unknown(named.filter { !marks.has(id: $0) })
    var unread = ""
    if !unknown.isEmpty || !urls.isEmpty {
      let shown = Set<Identifier>(of: urls.map { SourceURL.shown($0, ignoring: []) })
      let damage = try await ShownSources(in: output).forEachLine { image in
        guard let id = image.id.map({ Identifier($0) }) else { return }
        if unknown.remove(id) != nil || image.url.map({ shown.contains($0) }) == true {
          found.insert(id)
        }
      }
      if let damage { unread = " in what can be read (\(damage))" }
    }
    if let id = unknown.min()?.text {
      throw noImage("\"\(id)\"\(unread)", id)
    }
    let areForgotten = wereLost || requests.contains { marks.has(id: "", request: $0) }
    if found.isEmpty, let url = urls.first, !areForgotten {
      let shown = SourceURL.shown(url, ignoring: [])
      throw noImage("of \"\(shown)\"\(unread)", shown)
    }
    ids = found.texts
    self.requests = requests
    for id in ids {
      for state in states {
        let own = try await state.possessions(of: [id])
        possessions.formUnion(own)
        sources[id, default: []] += own.filter { [.sources, .rejections].contains($0.kind) }
          .map(\.name)
      }
    }
    // A state knows its own runs only, and none knows those of a catalog that was merged.
    shown = try await ShownSources(in: output).urls(of: found)
    for (id, urls) in shown {
      sources[id, default: []] += urls.texts.flatMap { ForgottenItems.requests(of: $0) }
    }
    report.ids = ids
    try await findProducts(found)
  }

  /// What the other images of their products have.
  private mutating func findProducts(_ found: Set<Identifier>) async throws {
    let others = try await sharing(
      Set<Identifier>(of: ids.map { ManifestEntry.sharedID(of: $0) ?? $0 })
    ).subtracting(found)
    report.sameID = others.texts
    let othersURLs = try await ShownSources(in: output).urls(of: others).values.joined()
    let othersNames = Self.names(of: Set(othersURLs))
    names = shown.mapValues { Self.names(of: $0).subtracting(othersNames) }
  }

  private static func names(of urls: Set<Identifier>) -> Set<Identifier> {
    Set<Identifier>(of: urls.compactMap { ForgottenItems.fileName(of: $0.text) })
  }

  private func noImage(_ what: String, _ subject: String) -> TesseraError {
    TesseraError(
      .unknownImages, "\"\(output.location)\" has no image \(what); nothing was changed",
      subject: subject)
  }

  /// Those that no state has.
  private func unknown(_ ids: [String]) async throws -> Set<Identifier> {
    var unknown = Set<Identifier>(of: ids)
    for id in ids {
      for state in states where try await state.has(id) { unknown.remove(Identifier(id)) }
    }
    return unknown
  }

  /// A store that lacks them although a state has seen some is asked again. Returns whether they are lost.
  private mutating func readMarks() async throws -> Bool {
    var wereLost = false
    marks = try await ForgottenItems.of(output, isExpected: Self.haveSeenMarks(states)) {
      wereLost = true
    }
    if wereLost {
      report.warning =
        "the marks of images that were forgotten before were missing: of those, only the ones that this call names stay "
        + "away"
    }
    return wereLost
  }

  static func haveSeenMarks(_ states: [StateStore]) async throws -> Bool {
    for state in states where try await state.forgottenMarks() ?? "" != "" { return true }
    return false
  }

  /// The ids of images that have these ids in the list, as all images of one product have.
  private func sharing(_ ids: Set<Identifier>) async throws -> Set<Identifier> {
    var sharing: Set<Identifier> = []
    for state in states {
      for shared in ids {
        let own = try await state.ids(beginningWith: shared.text + "#")
        sharing.formUnion(
          Set<Identifier>(of: own.filter { Identifier(ManifestEntry.sharedID(of: $0)) == shared }))
        if try await state.has(shared.text) { sharing.insert(shared) }
      }
    }
    return sharing
  }

  mutating func forget() async throws {
    // First: a run that begins after a kill does not fetch them again.
    marks.add(ids: ids, requests: requests, sources: sources, shown: shown, names: names)
    try await marks.write(to: output, held.workspace)
    var erasure = try await CatalogErasure(ids, from: output, held.workspace)
    let base: String?
    do {
      base = try await baseURL()
      for place in OutputPlace.allCases { try await erase(place, &erasure) }
      try await erasure.end()
    } catch let error as SystemError where erasure.damaged(error) != nil {
      throw TesseraError(
        .output,
        "\(error); "
          + "later runs leave the images out, but it may still have them: run, or merge, which replaces it, and then forget them again"
      )
    }
    report.foreign = try await foreign()
    report.documents = erasure.erased.documents.texts
    report.serviceURLs = erasure.erased.serviceURLs.texts
    report.end(
      baseURL: base, states: try await held.statesElsewhere(), uploads: await held.clearUploads())
    // That of all items: those of shards are of other documents.
    try await states[0].move(erasure.edits)
    for state in states {
      try await state.note(forgottenMarks: marks.digest)
      try await state.rewrite()
    }
  }

  /// What is in the output's own folder and not of Tessera; a folder with a slash behind its name.
  private func foreign() async throws -> [String] {
    try await output.listIfThere("").compactMap { entry in
      switch entry.kind {
      case .folder: OutputPlace.folders.contains(entry.name) ? nil : entry.name + "/"
      case .file, .other: OutputPlace.of(entry.name) == nil ? entry.name : nil
      }
    }.inByteOrder()
  }

  private func baseURL() async throws -> String? {
    guard try await CurrentCatalog.isThere(in: output) else { return nil }
    var texts = CatalogTexts(CurrentCatalog.path, in: output)
    return try await texts.readHead()?.catalog.baseURL
  }

  /// In the order of the places: what names files comes before the files, and the state after them.
  private mutating func erase(_ place: OutputPlace, _ erasure: inout CatalogErasure) async throws {
    try Task.checkCancellation()
    switch place {
    case .catalog: try await erasure.eraseCurrent()
    // They are replaced together with the catalog.
    case .screens: break
    case .changes: try await erasure.deleteChanges()
    case .shards: try await erasure.eraseShards()
    case .keptCatalogs: try await erasure.eraseKept()
    case .files: try await deleteFiles(&erasure)
    case .tables: try await deleteTables()
    case .derived: try await deleteDerived()
    case .report: try await erasure.eraseReport("run.json")
    case .state: try await eraseState()
    case .cache: try await deleteCached()
    // They have just been added; the history names none; nothing is left in work files.
    case .forgotten, .history, .work: break
    }
  }

  // MARK: Files

  private mutating func deleteFiles(_ erasure: inout CatalogErasure) async throws {
    let state = states[0]
    try await NamedFiles(output: output, now: now).list(in: state)
    try await erasure.deleteParts()
    var own = erasure.erased.files
    for source in possessions where source.kind == .files {
      let folder = FileSystem.parent(of: FileName.path(name: source.name))
      for file in try await output.listIfThere(folder)
      where file.name.begins(with: "\(source.name)-") {
        own.insert(Identifier("\(folder)/\(file.name)"))
      }
    }
    for path in own.texts {
      guard PublishedFile.isOne(path) else { continue }
      if try await state.naming(of: path) != nil {
        report.shared.append(path)
      } else if try await output.size(of: path) != nil {
        try await delete(path)
      }
    }
    // What a killed run has left, and what replaced files of before are, may be of anything.
    for folder in try await output.foldersOfFiles() {
      for file in try await output.listIfThere(folder) {
        let path = "\(folder)/\(file.name)"
        guard OutputPlace.of(path) == .files, try await state.naming(of: path) == nil,
          try await !isOfOthers(path)
        else { continue }
        report.unattributed += 1
        try await delete(path)
      }
    }
  }

  private func isOfOthers(_ path: String) async throws -> Bool {
    for state in states where try await state.wasOfOthers(path, than: ids) { return true }
    return false
  }

  private mutating func delete(_ path: String) async throws {
    try await output.delete(path)
    report.files.append(path)
  }

  /// All files of tables that no catalog names: any of them may show the images.
  private mutating func deleteTables() async throws {
    for folder in try await output.listIfThere("tables") where folder.kind == .folder {
      for file in try await output.listIfThere("tables/\(folder.name)") {
        let path = "tables/\(folder.name)/\(file.name)"
        guard OutputPlace.of(path) == .tables, try await states[0].naming(of: path) == nil else {
          continue
        }
        try await delete(path)
      }
    }
  }

  private mutating func deleteDerived() async throws {
    for folder in [""] + (try await ScreenFolder.all(in: output)) {
      for entry in try await output.listIfThere(folder) {
        let path = folder.isEmpty ? entry.name : "\(folder)/\(entry.name)"
        guard case .file = entry.kind, OutputPlace.of(path) == .derived else { continue }
        try await delete(path)
        report.derived.append(path)
      }
    }
  }

  // MARK: The state

  private mutating func eraseState() async throws {
    for state in states {
      _ = try await state.erase(ids, possessions)
      try await state.eraseFiles(report.files)
    }
    try await held.removeDamagedStates()
  }

  /// Sources that no state knows any more.
  private mutating func deleteCached() async throws {
    for workspace in try held.workspaces() {
      try workspace.documentCopy.remove()
      for digest in try workspace.cachedDigests() {
        var isKnown = false
        for state in states where !isKnown { isKnown = try await state.knowsContent(digest) }
        if isKnown { continue }
        try workspace.removeCached(digest)
        report.cached += 1
      }
    }
  }
}

/// The URLs of images as the documents of an output show them: of a catalog that was merged no state knows them.
struct ShownSources {
  private let output: any Output

  init(in output: any Output) { self.output = output }

  /// Those that belong to these images alone: a secret that is not shown may be all that tells one from another.
  func urls(of ids: Set<Identifier>) async throws -> [Identifier: Set<Identifier>] {
    var own: [Identifier: Set<Identifier>] = [:]
    try await forEachLine { image in
      guard let id = image.id, ids.contains(id), let url = image.url,
        SourceURL.isTransferred(url)
      else { return }
      own[id, default: []].insert(url)
    }
    let all = own.values.reduce(into: Set()) { $0.formUnion($1) }
    guard !all.isEmpty else { return [:] }
    var shared: Set<Identifier> = []
    try await forEachLine { image in
      guard let id = image.id, !ids.contains(id), let url = image.url, all.contains(url) else {
        return
      }
      shared.insert(url)
    }
    return own.mapValues { $0.subtracting(shared) }
  }

  /// All lines of documents that list images. Returns the error of the first one that is damaged: what follows its damage is
  /// left out, because that must not keep an image from being forgotten.
  @discardableResult
  func forEachLine(_ body: (CatalogLine) -> Void) async throws -> (any Error)? {
    var damage: (any Error)?
    var paths = try await CatalogHistory.kept(in: output)?.catalogs.map(\.path) ?? []
    if try await CurrentCatalog.isThere(in: output) { paths.append(CurrentCatalog.path) }
    for path in paths where try await output.size(of: path) != nil {
      var texts = CatalogTexts(path, in: output)
      do {
        while let text = try await texts.next() {
          try Task.checkCancellation()
          if let image = CatalogLine(text) { body(image) }
        }
      } catch let error as SystemError where error.isDamage {
        damage = damage ?? error
      }
    }
    for path in try await ShardResults.paths(in: output) {
      do {
        var lines = try await ShardLines(path, in: output)
        while let image = try await lines.nextImage() { body(image) }
      } catch {
        damage = damage ?? error
      }
    }
    return damage
  }
}
