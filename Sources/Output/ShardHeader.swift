package import TesseraCatalog
internal import TesseraJSON
internal import TesseraManifest
package import TesseraSystem

/// The first line of a shard's result, `shards/8/3.jsonl`. Each line below has an image's line of the
/// catalog, and its line in the manifest, by which the results of all shards are put in order:
///
///     {"schema":"tessera-shard/1","shard":3,"shards":8,"manifest":"…","pipeline":"…", …}
///     {"line":12,"sha256":["9f86…"],"image":{"id":"p1", …}}
///
/// It has neither times nor machines in it: the same inputs give the same bytes.
package struct ShardHeader: Sendable, Equatable {
  private static let schema = "tessera-shard/1"

  /// From 0.
  package var shard: Int
  package var shards: Int
  /// SHA-256 of the whole manifest's bytes.
  package var manifest: String
  /// Identifies everything in the pipeline and the versions that shapes a line of the catalog.
  package var pipeline: String
  package var libvips: String
  /// What is written of the merged catalog besides.
  package var screens: [CatalogScreen]
  /// Which earlier catalogs are kept when this one replaces them.
  package var retention: CatalogRetention
  /// The share of images that the merged catalog may lose, in per cent.
  package var lostAbove: Double
  /// The catalog's head without its count, as one line of JSON.
  package var head: String
  package var images: Int
  /// Images by status.
  package var counts: [String: Int]
  /// Lines of the manifest that could not be used.
  package var problems: Int

  package init(
    shard: Int, shards: Int, manifest: String, pipeline: String, libvips: String,
    screens: [CatalogScreen], retention: CatalogRetention, lostAbove: Double, head: String,
    images: Int, counts: [String: Int], problems: Int
  ) {
    self.shard = shard
    self.shards = shards
    self.manifest = manifest
    self.pipeline = pipeline
    self.libvips = libvips
    self.screens = screens
    self.retention = retention
    self.lostAbove = lostAbove
    self.head = head
    self.images = images
    self.counts = counts
    self.problems = problems
  }

  /// Where a shard's result is in an output.
  package static func path(_ shard: Int, of shards: Int) -> String {
    "\(folder)/\(shards)/\(shard).jsonl"
  }

  /// Where the report of a shard's run is: times and machines, which are not in its result.
  package static func reportPath(_ shard: Int, of shards: Int) -> String {
    "\(folder)/\(shards)/\(shard).run.json"
  }

  /// All that the run of a shard publishes besides files.
  static func documents(of shard: Shard) -> [String] {
    [path(shard.index, of: shard.count), reportPath(shard.index, of: shard.count)]
  }

  /// The folder of all shards' results, with one for each number of shards.
  package static let folder = "shards"

  /// Whether both are of one manifest, one pipeline and the same versions.
  package func isOfSameInputs(as other: ShardHeader) -> Bool {
    (manifest, pipeline, libvips, head) == (
      other.manifest, other.pipeline, other.libvips, other.head
    )
      && screens == other.screens
  }

  /// The header of a result in an output; nil if the file has none.
  package static func read(
    _ path: String, in output: any Output
  ) async throws(SystemError) -> ShardHeader? {
    var bytes: [UInt8] = []
    while true {
      let part = try await output.read(path, 1 << 16, at: bytes.count)
      bytes += part
      if let end = bytes.firstIndex(of: UInt8(ascii: "\n")) {
        return ShardHeader(line: Array(bytes[..<end]))
      }
      if part.isEmpty || bytes.count > 1 << 24 { return nil }
    }
  }

  /// Those of the files that its lines name.
  package var formats: [CatalogFormat] {
    (try? Catalog(readingHead: Array(head.utf8)))?.formats ?? []
  }

  // MARK: Lines

  package var line: [UInt8] {
    var writer = JSONWriter()
    writer.object { object in
      object.member("schema", Self.schema)
      object.member("shard", shard)
      object.member("shards", shards)
      object.member("manifest", manifest)
      object.member("pipeline", pipeline)
      object.member("libvips", libvips)
      if !screens.isEmpty {
        object.name("screens")
        object.array { list in for screen in screens { list.object { screen.write(to: &$0) } } }
      }
      object.member("keepCatalogs", retention.count)
      object.member("keepCatalogsSeconds", Int(retention.age))
      if retention.changes > 0 { object.member("changes", retention.changes) }
      object.member("lostAbove", lostAbove)
      object.member("images", images)
      object.name("counts")
      object.object { list in
        for (status, count) in counts.sorted(by: { $0.key < $1.key }) {
          list.member(status, count)
        }
      }
      object.member("manifestProblems", problems)
      object.name("catalog")
      object.value(json: head)
    }
    return writer.take()
  }

  /// Nil for a line that is not the first of a shard's result.
  package init?(line: [UInt8]) {
    guard let (parts, head) = try? JSONParser.parse(line, keepingText: "catalog"), let head,
      parts["schema"]?.stringValue == Self.schema, let shard = parts["shard"]?.intValue,
      let shards = parts["shards"]?.intValue, let manifest = parts["manifest"]?.stringValue,
      let pipeline = parts["pipeline"]?.stringValue, let libvips = parts["libvips"]?.stringValue,
      let images = parts["images"]?.intValue, case .object(let counts)? = parts["counts"],
      let problems = parts["manifestProblems"]?.intValue
    else { return nil }
    self.init(
      shard: shard, shards: shards, manifest: manifest, pipeline: pipeline, libvips: libvips,
      screens: (parts["screens"]?.arrayValue ?? []).compactMap(CatalogScreen.init),
      retention: CatalogRetention(
        count: parts["keepCatalogs"]?.intValue ?? 3,
        age: parts["keepCatalogsSeconds"]?.doubleValue ?? CatalogRetention.usualAge,
        changes: parts["changes"]?.intValue ?? 0),
      lostAbove: parts["lostAbove"]?.doubleValue ?? 20, head: head, images: images,
      counts: Dictionary(
        counts.compactMap { member in member.value.intValue.map { (member.name, $0) } }
      ) { first, _ in first }, problems: problems)
  }

  /// - Parameters:
  ///   - number: the image's line in the manifest.
  ///   - image: its line of the catalog.
  ///   - sha256: of each of its files, in hexadecimal, in the order in which the line names them.
  package static func line(
    _ number: Int, _ image: some Sequence<UInt8>, sha256: [String] = []
  ) -> [UInt8] {
    let digests = sha256.map { "\"\($0)\"" }.joined(separator: ",")
    return Array("{\"line\":\(number),\"sha256\":[\(digests)],\"image\":".utf8) + image
      + [UInt8(ascii: "}")]
  }

  /// Nil for a line that ``line(_:_:sha256:)`` did not make. The image itself is not looked at.
  package static func image(
    _ line: ArraySlice<UInt8>
  ) -> (line: Int, image: ArraySlice<UInt8>, sha256: [String])? {
    let (start, middle) = (Array("{\"line\":".utf8), Array(",\"sha256\":[".utf8))
    let end = Array("],\"image\":".utf8)
    guard line.starts(with: start), line.last == UInt8(ascii: "}") else { return nil }
    let digits = line.dropFirst(start.count).prefix { (0x30...0x39).contains($0) }
    guard line[digits.endIndex...].starts(with: middle) else { return nil }
    let list = line[digits.endIndex...].dropFirst(middle.count).prefix { $0 != UInt8(ascii: "]") }
    guard line[list.endIndex...].starts(with: end),
      let number = Int(String(decoding: digits, as: UTF8.self))
    else { return nil }
    let digests = list.split(separator: UInt8(ascii: ",")).map {
      String(decoding: $0.dropFirst().dropLast(), as: UTF8.self)
    }
    return (number, line[list.endIndex...].dropFirst(end.count).dropLast(), digests)
  }
}

extension CatalogScreen {
  fileprivate func write(to entry: inout JSONWriter) {
    entry.member("name", name)
    entry.member("first", first)
    entry.member("part", part)
    entry.member("slots", selection.slots)
    if let types = selection.types { entry.member("types", types) }
    if let scales = selection.scales {
      entry.name("scales")
      entry.array { list in for scale in scales { list.value(scale) } }
    }
  }

  fileprivate init?(_ json: JSONValue) {
    guard let name = json["name"]?.stringValue, let first = json["first"]?.intValue,
      let part = json["part"]?.intValue, let slots = json["slots"]?.arrayValue
    else { return nil }
    self.init(
      name: name,
      selection: CatalogSelection(
        slots: slots.compactMap(\.stringValue),
        types: json["types"]?.arrayValue?.compactMap(\.stringValue),
        scales: json["scales"]?.arrayValue?.compactMap(\.intValue)),
      first: first, part: part)
  }
}
