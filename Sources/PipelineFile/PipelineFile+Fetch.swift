package import TesseraText

extension PipelineFile {
  /// When to ask the server whether a known source has changed.
  package enum Revalidation: String, Sendable, CaseIterable {
    /// About every source in every run.
    case always
    /// When the response is no longer fresh (Cache-Control, Expires; RFC 9111, section 4.2).
    case whenStale = "when-stale"
    /// Never: a known source counts as unchanged.
    case never
  }

  /// Which items the run fetches first.
  package enum Order: String, Sendable, CaseIterable {
    /// The first in the manifest.
    case manifest
    /// The last in the manifest.
    case newestFirst = "newest-first"
  }

  /// How sources are fetched.
  package struct Fetch: Sendable {
    package var order = Order.manifest
    /// The most requests at a time, in all and per host. Browsers open six connections per host. Nil for as many as the
    /// host answers well.
    package var concurrency = 16
    package var perHost: Int? = 6
    /// Of all requests of this process together; nil for no limit.
    package var rate: RequestRate?
    /// Each host once.
    package var hosts: [HostSettings] = []
    /// For connecting, and again until the first byte.
    package var timeout = Duration.seconds(15)
    /// For one item with all its retries.
    package var deadline = Duration.seconds(120)
    /// Bytes per second, over ten seconds. A slower transfer counts as stalled.
    package var minimumSpeed = 1_000
    /// Attempts after the first one.
    package var retries = 4
    package var maximumBytes = 64_000_000
    package var redirects = 5
    package var revalidation = Revalidation.whenStale
    /// Query parameters that the cache key and the catalog leave out.
    package var ignoredQuery: [String] = []
    package var rewrites: [Rewrite] = []
    package var headers: [RequestHeader] = []
    /// Whether headers without a host may be sent to all hosts that the manifest names.
    package var headersEverywhere = false
    /// Whether some headers are meant for one host, without naming it.
    package var hasUnboundHeaders: Bool {
      !headersEverywhere && headers.contains { $0.host == nil }
    }
    /// Beyond the public internet: `loopback`, `private`, CIDR blocks; `files:` and a folder; `s3:` and a
    /// bucket.
    package var allow: [String] = []
    /// The same as the file has it.
    var allowed = AllowedPlaces()
    package static let folderMark = "files:"
    package static let bucketMark = "s3:"

    /// The folders that may contain the files of `file:` URLs.
    package var folders: [String] {
      allow.filter { $0.hasPrefix(Self.folderMark) }.map {
        String($0.dropFirst(Self.folderMark.count))
      }
    }
    /// The buckets that may hold the sources of `s3:` URLs. Not all that the credentials open: the
    /// author of the manifest would read them, too.
    package var buckets: [String] {
      allow.filter { $0.hasPrefix(Self.bucketMark) }.map {
        String($0.dropFirst(Self.bucketMark.count))
      }
    }
    /// How long the files of a source stay in the catalog when the source cannot be reached.
    package var keepStale = Duration.seconds(30 * 86_400)
    /// The most bytes of sources to keep for later runs; nil keeps none.
    package var cache: Int?
    package var userAgent = UserAgent.standard
  }

  /// Replaces the beginning of a URL before the request.
  package struct Rewrite: Sendable, Equatable {
    package var from: String
    package var to: String

    package init(from: String, to: String) {
      self.from = from
      self.to = to
    }
  }
}
