internal import TesseraJSON
internal import TesseraSystem

extension PipelineFile.Fetch {
  static let keys: [Key<Self>] = [
    Key("concurrency", .int(1...1024), \.concurrency, "At most this many transfers at a time."),
    Key(
      "per-host", .optional(.int(1...1024), word: "auto", initial: 1), \.perHost,
      "At most this many transfers at a time from one host; auto for as many as it answers without delay or rejection, up to concurrency."
    ),
    Key(
      "rate", .optional(.requestRate, initial: .example), \.rate, example: "20/s",
      "At most this many requests in a second, a minute or an hour, to all hosts together, by this process; shards divide it."
    ),
    Key(
      "hosts", .hosts, \.hosts, shapes: .acceptance,
      "Settings for one host each: [{host: images.example.com, per-host: 2, rate: 5/s, timeout: 30s, headers: {…}, retries: 1}]."
    ),
    Key(
      "order", .choice, \.order,
      "Which items are fetched first: those at the manifest's beginning (manifest) or at its end (newest-first)."
    ),
    Key("timeout", .duration, \.timeout, "Time limit to connect, and for the first byte."),
    Key("deadline", .duration, \.deadline, "Time limit for one image, all attempts included."),
    Key(
      "min-speed", .rate, \.minimumSpeed,
      "The slowest accepted transfer rate, measured over 10 seconds."),
    Key(
      "retries", .int(0...20), \.retries,
      "Attempts after the first one, for transient errors; with back-off and jitter, Retry-After obeyed."
    ),
    Key(
      "max-bytes", .bytes("a size such as 64MB"), \.maximumBytes, shapes: .entries,
      "The largest accepted source."),
    Key("redirects", .int(0...50), \.redirects, "At most this many redirects per request."),
    Key(
      "revalidate", .choice, \.revalidation,
      "When to ask the server whether a known source has changed: always, when-stale (Cache-Control, Expires), never."
    ),
    Key(
      "ignore-query", .texts("a list of query parameters' names"), \.ignoredQuery, shapes: .entries,
      "Query parameters that are removed from the cache key and the catalog, but not from the request."
    ),
    Key(
      "rewrite", .rewrites, \.rewrites,
      "URL prefixes to replace before the request: [{from: \"http://\", to: \"https://\"}]."),
    Key(
      "headers", .headers, \.headers, shapes: .acceptance,
      "Request headers: a list of groups, each bound to a host; or one group for the only host that the manifest names. Never sent to another origin that a redirect leads to."
    ),
    Key(
      "headers-everywhere", .bool, \.headersEverywhere,
      "Whether headers without a host are sent to all hosts that the manifest names, and to that of the manifest."
    ),
    Key(
      "allow", AllowedPlaces.type, \.allowedPlaces, shapes: .entries,
      "Sources to allow besides the public internet: loopback, private, a CIDR block, files: and a folder, or s3: and a bucket."
    ),
    Key(
      "keep-stale", .duration, \.keepStale,
      "How long the last good files of an unreachable source remain in the catalog."),
    Key(
      "cache", .optional(.bytes("a size such as 10GB"), word: "none", initial: 1), \.cache,
      "How much of the sources to keep, so that files of other sizes need no new request."),
    Key(
      "user-agent", .line, \.userAgent, shapes: .acceptance,
      "The User-Agent of requests. Add how the owners of images reach you: \"Tessera/0.1 (+https://your.site/bot)\"."
    ),
  ]
}

extension KeyType where Value == [String] {
  static func texts(_ expected: String) -> KeyType { list(of: .text(expected), initial: "") }
}

/// What of the network and of this machine may be read besides the public internet.
struct AllowedPlaces: Sendable {
  var places: [Place] = []

  struct Place: Sendable, Equatable {
    var text: String
    /// The folder as the file has it, which is the same wherever the file is read; nil for other places.
    var folder: String?
  }

  static let type = KeyType<Self>(
    expected: list.expected, schema: { list.schema($0.places) },
    read: { node, place, current in list.read(node, place, current.places).map { Self(places: $0) }
    },
    // Paths of local files are shown from these folders. What else may be read shapes nothing.
    json: { .array($0.places.compactMap { $0.folder.map { .string($0) } }) })

  private static let list = KeyType<[Place]>.list(
    of: .scalar(
      "\"loopback\", \"private\", an address block such as 10.1.0.0/16, a folder such as "
        + "files:/srv/images, or a bucket such as s3:photos",
      schema: [
        "type": "string",
        "pattern": "^(loopback|private|[0-9a-fA-F.:]+/[0-9]{1,3}|files:.+|s3:.+)$",
      ], json: { .string($0.text) }, parse: place), initial: Place(text: ""))

  private static func place(_ text: String, _ folder: String) -> Place? {
    let (files, bucket) = (PipelineFile.Fetch.folderMark, PipelineFile.Fetch.bucketMark)
    if text.hasPrefix(files) {
      let path = String(text.dropFirst(files.count))
      return path.isEmpty ? nil : Place(text: files + FileSystem.join(folder, path), folder: path)
    }
    if text.hasPrefix(bucket) { return text == bucket ? nil : Place(text: text) }
    return text == "loopback" || text == "private" || AddressBlock.isValid(text)
      ? Place(text: text) : nil
  }
}

extension PipelineFile.Fetch {
  fileprivate var allowedPlaces: AllowedPlaces {
    get { allowed }
    set {
      allowed = newValue
      allow = newValue.places.map(\.text)
    }
  }
}

extension KeyType where Value == [PipelineFile.Rewrite] {
  static var rewrites: KeyType {
    let prefix = KeyType<String>.text("the beginning of a URL")
    return list(
      of: .group(
        [
          Key("from", prefix, \.from, isRequired: true, "What URLs begin with."),
          Key(
            "to", .word(prefix.expected), \.to, isRequired: true,
            "What stands there in the request."),
        ], isOptional: false),
      initial: .init(from: "", to: ""), acceptsOne: false)
  }
}
