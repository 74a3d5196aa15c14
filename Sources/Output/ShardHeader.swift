internal import TesseraJSON
internal import TesseraManifest
package import TesseraSystem

/// The first line of a shard's result, `shards/8/3.jsonl`. Each line below has an image's line of the
/// catalog, and its line in the manifest, by which the results of all shards are put in order:
///
///     {"schema":"tessera-shard/1","shard":3,"shards":8,"manifest":"…","pipeline":"…", …}
///     {"line":12,"image":{"id":"p1", …}}
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
  package var form: CatalogForm
  package var publication: CatalogPublication
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
    form: CatalogForm, publication: CatalogPublication, retention: CatalogRetention,
    lostAbove: Double, head: String,
    images: Int, counts: [String: Int], problems: Int
  ) {
    self.shard = shard
    self.shards = shards
    self.manifest = manifest
    self.pipeline = pipeline
    self.libvips = libvips
    self.form = form
    self.publication = publication
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
    (manifest, pipeline, libvips, form, head)
      == (other.manifest, other.pipeline, other.libvips, other.form, other.head)
      && publication == other.publication
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
      object.member("format", form.rawValue)
      publication.write(to: &object)
      object.member("keepCatalogs", retention.count)
      object.member("keepCatalogsSeconds", Int(retention.age))
      if retention.patches > 0 { object.member("patches", retention.patches) }
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
      let form = parts["format"]?.stringValue.flatMap(CatalogForm.init),
      let images = parts["images"]?.intValue, case .object(let counts)? = parts["counts"],
      let problems = parts["manifestProblems"]?.intValue
    else { return nil }
    self.init(
      shard: shard, shards: shards, manifest: manifest, pipeline: pipeline, libvips: libvips,
      form: form, publication: CatalogPublication(parts),
      // An older version wrote none of these.
      retention: CatalogRetention(
        count: parts["keepCatalogs"]?.intValue ?? 3,
        age: parts["keepCatalogsSeconds"]?.doubleValue ?? CatalogRetention.usualAge,
        patches: parts["patches"]?.intValue ?? 0),
      lostAbove: parts["lostAbove"]?.doubleValue ?? 20, head: head, images: images,
      counts: Dictionary(
        counts.compactMap { member in member.value.intValue.map { (member.name, $0) } }
      ) { first, _ in first }, problems: problems)
  }

  /// - Parameters:
  ///   - number: the image's line in the manifest.
  ///   - image: its line of the catalog.
  package static func line(_ number: Int, _ image: some Sequence<UInt8>) -> [UInt8] {
    Array("{\"line\":\(number),\"image\":".utf8) + image + [UInt8(ascii: "}")]
  }

  /// Nil for a line that ``line(_:_:)`` did not make. The image itself is not looked at.
  package static func image(
    _ line: ArraySlice<UInt8>
  ) -> (line: Int, image: ArraySlice<UInt8>)? {
    let (start, middle) = (Array("{\"line\":".utf8), Array(",\"image\":".utf8))
    guard line.starts(with: start), line.last == UInt8(ascii: "}") else { return nil }
    let digits = line.dropFirst(start.count).prefix { (0x30...0x39).contains($0) }
    let rest = line[digits.endIndex...]
    guard rest.starts(with: middle), let number = Int(String(decoding: digits, as: UTF8.self))
    else {
      return nil
    }
    return (number, rest.dropFirst(middle.count).dropLast())
  }
}
