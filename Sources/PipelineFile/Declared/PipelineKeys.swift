internal import TesseraImageHeader
internal import TesseraJSON
internal import TesseraManifest
internal import TesseraPlan
internal import TesseraSystem
internal import TesseraText

extension PipelineFile {
  /// The keys of a pipeline file, each with its type, its place, and what it shapes.
  static let keys: [Key<PipelineFile>] = [
    Key(
      "manifest", .manifest, \.manifest, isRequired: true, example: "feed.jsonl",
      "The list of images: a path, an http(s) URL, s3://bucket/key, or - for standard input; {sqlite: shop.db, query: \"SELECT …\"}; or several of them. JSON Lines, JSON arrays, CSV, TSV, plain text, feeds and sitemaps; gzip is recognised."
    ),
    Key(
      "columns", .optional(ColumnMapping.type, initial: ColumnMapping()), \.columns,
      shapes: .entries, example: ["url": "image_link", "id": "id", "alt": "title"],
      "The names of a table's columns, or the paths of JSON members, where the manifest has others than Tessera's own: an export of a shop system. Each image of a row becomes an item."
    ),
    Key(
      "output", .place, \.output, isRequired: true, example: "build/feed",
      "The folder for catalog.json, run.json, variants/ and .tessera/ (the state); or s3://bucket/prefix."
    ),
    Key(
      "state", .optional(.path, initial: ""), \.state, example: "/var/lib/tessera/feed",
      use: .operation,
      "A folder of this machine for the state of an output in an object store; without it, the state is in the store. An output that is a folder has its own."
    ),
    Key(
      "store", .group(Store.keys), \.store,
      example: ["endpoint": "…", "region": "…", "path-style": true], use: .operation,
      "How object stores are reached; what is not given follows from the environment. Credentials are always from there."
    ),
    Key(
      "slots", .slots, \.plan.slots, shapes: .files, isRequired: true,
      example: ["card": ["size": "180x", "mode": "fit"]],
      "The places in the layout that show images, by name."),
    Key(
      "base", .optional(.folderURL("https://images.example.com/"), initial: ""), \.base,
      example: "https://images.example.com/",
      "What relative URLs in the manifest are relative to: a URL, or a folder: . is that of this file."
    ),
    Key(
      "base-url", .optional(.baseURL, initial: ""), \.baseURL, shapes: .catalog, needs: .files,
      example: "https://cdn.example.com/feed/",
      "The prefix that clients put before a variant's path."),
    Key(
      "scales", ScaleShares.type, \.plan.scaleShares, shapes: .files,
      "Device pixels per point: a list, or a group that says how often each is viewed, such as {1: 0.1, 2: 0.5, 3: 0.4}."
    ),
    Key(
      "weights", .weights(one: "slot"), \.plan.slotWeights, example: ["card": 10, "hero": 1],
      use: .tuning,
      "How often images are viewed in each slot, relative to the others, for plan; 1 where nothing is said. They change no file."
    ),
    Key(
      "rounding", .rounding, \.plan.rounding, shapes: .files,
      "The sizes to which a file's longer side is rounded up: power-of-two, half-steps, exact, or a list. {by: width, steps: …} rounds the width instead."
    ),
    Key(
      "variants", .group(PlanSettings.keys, check: PlanSettings.check), \.plan,
      "How files are encoded."),
    Key(
      "upgrade", Upgrade.type, \.upgrade, shapes: .files, needs: .files,
      example: ["format": "avif", "budget": "20m"], use: .tuning,
      "A better format, in which a run makes files after the catalog is there, as long as its budget of worker time lasts: first those that save the most bytes of views for the time. The catalog then names them as well."
    ),
    Key("fetch", .group(Fetch.keys), \.fetch, "Network settings."),
    Key(
      "delivery", .imageService, \.delivery, shapes: .files,
      example: ["preset": "imgproxy", "base": "https://img.example.com"], use: .tuning,
      "An image service that makes the variants instead of the run. The catalog then has URLs; see PIPELINE.md."
    ),
    Key(
      "placeholders", .placeholders, \.placeholders, shapes: .entries, needs: .files,
      "Placeholders in the catalog, to be shown until an image has loaded: "
        + Placeholders.Kind.allCases.map(\.rawValue).joined(separator: ", ") + "."
    ),
    Key(
      "tables", .tables, \.tables, shapes: .files, needs: .files,
      example: ["card": ["scales": [2, 3], "pixels": "bgra8"]], use: .tuning,
      "Tables of ready pixels, which clients draw without decoding, by the name of a slot. See Pipelines/CATALOG.md."
    ),
    Key(
      "accept", .accept, \.accept, shapes: .entries, use: .tuning,
      "Accepted formats of sources; svg, jp2 and ico only when named here."),
    Key(
      "fail-on", .choice, \.failOn, shapes: .files, needs: .files, use: .tuning,
      "Which damage makes an image fail: none, truncated, error. A damaged image that is shown anyway has a warning in the catalog."
    ),
    Key(
      "limits", .group(Limits.keys), \.limits, use: .operation,
      "Limits for one source in one worker, and for compressed lists."),
    Key(
      "fail-above", .percentage, \.failAbove, use: .operation,
      "The run stops if more than this share of the last 200 items (at least 100) failed and have nothing to show."
    ),
    Key(
      "shrink-above", .percentage, \.shrinkAbove, use: .operation,
      "The run stops if the manifest has lost more than this share of the last run's items, or all of them. Of fewer than a hundred, five at least have to be lost."
    ),
    Key(
      "lost-above", .percentage, \.lostAbove, use: .operation,
      "The run stops if it would lose more than this share of the images that the catalog shows (five at least), or all of them."
    ),
    Key(
      "keep-lost", .durationOrZero, \.keepLost, use: .operation,
      "How long the last good files of an image stay in the catalog after an error that does not pass, such as 404."
    ),
    Key(
      "keep-catalogs", KeptCatalogs.type, \.keptCatalogs, use: .operation,
      "How many earlier catalogs are kept, to which tessera rollback can go back, and for how long; prune keeps their files."
    ),
    Key(
      "extra", .extra, \.extra, shapes: .entries,
      "Columns of a table, or members of JSON lines, that the catalog passes on in \"extra\"; all, or a list of names. Others stay private."
    ),
    Key(
      "workers", .optional(.int(1...256), word: "auto", initial: 1), \.workers, use: .operation,
      "Worker processes. auto: as many as the processors that this process may use."),
    Key(
      "lanes", .lanes, \.plan.lanes, shapes: .files, needs: .files, use: .tuning,
      "Whether the usual JPEG and PNG sources are decoded by fast lanes of Tessera's own. With off, libvips decodes all sources: slower, for comparison. The bytes of files from JPEGs differ slightly."
    ),
    Key(
      "require-sandbox", .bool, \.requiresSandbox, use: .operation,
      "Whether a run is rejected if this machine's kernel cannot confine workers with Landlock and seccomp. Otherwise a gap is a warning on every run."
    ),
    Key(
      "catalog", .group(catalogKeys), \.self,
      "What the catalog says, and what is written beside it."),
  ]

  private static let catalogKeys: [Key<PipelineFile>] = [
    Key(
      "profile", .choice, \.profile, shapes: .entries,
      "client: what apps need. full: also the sources and the digests of files."),
    Key(
      "screens", .screens, \.screens, shapes: .catalog,
      example: ["feed": ["slots": ["card"], "formats": ["webp", "jpeg"], "scales": [2, 3]]],
      "Small catalogs of what screens of an app need, by name, which are written besides in screens/NAME."
    ),
    Key(
      // Shapes nothing: a catalog is the same with and without changes to it.
      "changes", .int(0...100), \.catalogChanges,
      "For how many of the last catalogs the changes to the current one are written, from-DIGEST.json; as many are kept."
    ),
    Key(
      "urls", .choice, \.urls, shapes: .entries,
      "shown: each image has the URL of its source, without secrets. none: no URL of a source is in the catalog."
    ),
  ]
}

extension PipelineFile.Store {
  static let keys: [Key<Self>] = [
    Key(
      "endpoint", .optional(.webURL("https://minio.example.com:9000"), initial: ""), \.endpoint,
      "The server of s3:// places; AWS_ENDPOINT_URL_S3, AWS_ENDPOINT_URL, or AWS itself."),
    Key(
      "region", .optional(.text("a name such as eu-central-1"), initial: ""), \.region,
      "AWS_REGION, AWS_DEFAULT_REGION, or us-east-1."),
    Key(
      "path-style", .optional(.bool, initial: false), \.usesPathStyle,
      "Whether the bucket is a part of the path, and not of the host's name; the default with an endpoint."
    ),
  ]
}

extension PipelineFile.Limits {
  static let keys: [Key<Self>] = [
    Key(
      "pixels", .pixelCount(), \.pixels, shapes: .entries,
      "Pixels of one frame, and of all frames together."),
    Key("frames", .int(1...100_000), \.frames, shapes: .entries, "Frames of an animation."),
    Key(
      // With less, libvips and its codecs cannot start.
      "memory", .bytes(atLeast: 256_000_000, "a size of at least 256MB, such as 2GB"), \.memory,
      shapes: .acceptance, "Memory of a worker; at least 256MB."),
    Key(
      "time", .duration, \.time, shapes: .acceptance, "Time limit for all files of one image."),
    Key(
      "unpacked-list", .bytes("a size such as 10GB"), \.unpackedList,
      "How large a list in gzip may become; never more than a thousand times its size."),
  ]
}

extension PipelineFile.KeptCatalogs {
  private static let counts = 0...100

  static let type = KeyType<Self>.either(
    KeyType<Int>.int(counts, "a whole number from 0 to 100, or a group such as {count: 3, age: 7d}")
      .mapped({ Self(count: $0) }, from: \.count),
    or: .group([
      Key("count", .int(counts), \.count, "How many."),
      Key("age", .duration, \.age, "How long after it was replaced each of them is kept."),
    ]))
}

extension KeyType where Value == String {
  /// A path relative to the pipeline file's folder.
  static var path: KeyType {
    scalar("a path", schema: ["type": "string", "minLength": 1], json: JSONValue.string) {
      FileSystem.join($1, $0)
    }
  }

  /// A path, or a place in an object store.
  static var place: KeyType {
    scalar(
      "a path, or s3://bucket/prefix",
      schema: ["type": "string", "minLength": 1, "not": ["pattern": "^(?!s3://.).*://"]],
      json: JSONValue.string
    ) { text, folder in
      switch Place(text) {
      case .store: text
      // The schema says so, too.
      case _ where text.contains("://"): nil
      default: FileSystem.join(folder, text)
      }
    }
  }

  /// Clients join the base and a path without anything in between.
  static var baseURL: KeyType {
    webURL("https://cdn.example.com/feed/").mapped(
      { $0.hasSuffix("/") ? $0 : $0 + "/" }, from: { $0 })
  }
}

extension KeyType where Value == [Placeholders.Kind] {
  /// An empty list means none. The order in the file has no effect.
  static var placeholders: KeyType {
    list(of: .choice, initial: .color).mapped(
      { kinds in Placeholders.Kind.allCases.filter(kinds.contains) }, from: { $0 })
  }
}

extension KeyType where Value == [ImageFormat] {
  static var accept: KeyType {
    list(
      of: .choice(
        ImageFormat.allCases.filter(\.isDecoded), unsupported: [ImageFormat.psd.rawValue]),
      initial: .jpeg, one: "format")
  }
}

extension KeyType where Value == Lanes {
  /// In YAML 1.1, `on` and `off` are other names of true and false.
  static var lanes: KeyType {
    scalar(
      "on or off", schema: ["enum": ["on", "off", true, false]], json: { .string($0.rawValue) },
      parse: {
        Lanes(rawValue: $0) ?? Bool($0).map { $0 ? .on : .off }
      })
  }
}

extension KeyType where Value == ExtraMembers {
  /// Names of members or columns, or `all`.
  static var extra: KeyType {
    let names = KeyType<[String]>.list(
      of: .text("a list of names, such as [author, price], or all"), initial: "")
    return KeyType(
      expected: names.expected, schema: { _ in names.schema([]) },
      read: { node, place, _ in
        guard let found = names.read(node, place, []) else { return nil }
        if case .scalar = node.content, found == ["all"] { return .all }
        return .named(found)
      },
      json: { extra in
        switch extra {
        case .all: "all"
        case .named(let found): .array(found.map { .string($0) })
        }
      })
  }
}

// How often images are viewed: in slots, and at scales.

/// The scales, and how often each is viewed.
struct ScaleShares: Sendable {
  var scales: [Int]
  var weights: [Int: Double]

  static let type = KeyType<Self>(
    expected: list.expected,
    schema: { ["anyOf": [list.schema($0), group.schema([:])]] },
    read: { node, place, current in
      guard case .mapping = node.content else { return list.read(node, place, current) }
      guard let weights = group.read(node, place, [:]) else { return nil }
      return Self(
        scales: weights.keys.compactMap { Int($0) }.sorted(),
        weights: weights.reduce(into: [:]) {
          if let scale = Int($1.key) { $0[scale] = $1.value }
        })
    },
    // The weights shape no file, and so are in no fingerprint.
    json: { list.json($0) })

  private static let list = KeyType<[Int]>.scales.mapped(
    { Self(scales: $0, weights: [:]) }, from: \.scales)

  private static let group = KeyType<[String: Double]>.weights(one: "scale") {
    weight, place, mark in
    let name = place.name.dropFirst("scales.".count)
    if let scale = Int(name), (1...8).contains(scale), String(scale) == name { return weight }
    place.context.report(mark, "a scale is a whole number from 1 to 8, found \"\(name)\"")
    return nil
  }
}

extension PlanSettings {
  var scaleShares: ScaleShares {
    get { ScaleShares(scales: scales, weights: scaleWeights) }
    set { (scales, scaleWeights) = (newValue.scales, newValue.weights) }
  }
}

extension KeyType where Value == [String: Double] {
  /// Numbers by name, relative to each other.
  static func weights(
    one: String,
    check: @escaping @Sendable (Double, KeyPlace, Mark) -> Double? = { weight, _, _ in weight }
  ) -> KeyType {
    .names(
      of: .scalar(
        "a number above zero, such as 10 or 0.5",
        schema: ["type": "number", "exclusiveMinimum": 0, "maximum": 1_000_000_000],
        json: { .number(JSONNumber.text(of: $0)) },
        parse: { text in
          Double(text).flatMap { $0 > 0 && $0 <= 1_000_000_000 ? $0 : nil }
        }), one: one, expected: "numbers by names", initial: { _ in 1 }, check: check)
  }
}

extension PipelineFile {
  /// Reports weights of slots that there are not.
  func checkWeights(_ context: DecodingContext) {
    // Slots with mistakes of their own are reported already.
    guard !plan.slots.isEmpty else { return }
    let names = plan.slots.map(\.name)
    for name in plan.slotWeights.keys.sorted() where !names.contains(name) {
      guard let pair = context.pair("weights.\(name)") else { continue }
      let hint = Nearest.hint(for: name, among: names)
      context.report(
        pair.key.mark, "\"weights.\(name)\": \"slots\" has no slot of this name\(hint)")
    }
  }
}
