package import TesseraImageHeader
package import TesseraPlan

/// A pipeline file, read and checked: every value has its type, its range and its default.
///
/// Paths are as seen from the working directory: those in the file are relative to the file.
package struct PipelineFile: Sendable {
  /// The file's name without its extension.
  package var name: String
  package var path: String
  package var manifest: Manifest
  /// What relative URLs in the manifest are relative to; nil where there must be none.
  package var base: String? = nil
  package var output: String
  /// Ends in "/", or is nil.
  package var baseURL: String?
  package var plan: PlanSettings
  package var fetch: Fetch
  /// Formats that sources may have.
  package var accept: [ImageFormat]
  package var limits: Limits
  /// Nil means as many as there are usable processors.
  package var workers: Int?

  /// What the catalog has of each picture to be shown before its file is there.
  package var placeholders: [Placeholder] = [.color, .thumbhash]

  /// When a source that is damaged counts as no picture.
  package var failOn = FailOn.error

  package var profile = Profile.client
  package var catalogFormat = CatalogFormat.json

  /// How much a catalog tells.
  package enum Profile: String, Sendable, CaseIterable {
    /// What apps need.
    case client
    /// Also where pictures came from, and the digests of their files.
    case full
  }

  package enum CatalogFormat: String, Sendable, CaseIterable {
    case json
    /// A line for the head and one for each image, to be read one at a time.
    case jsonl
  }

  /// In per cent: where more of the last items have failed, the run stops. At 100 it never does.
  package var failAbove = 90.0

  package enum Placeholder: String, Sendable, CaseIterable {
    case color, thumbhash, blurhash, lqip
  }

  package enum Manifest: Sendable, Equatable {
    case standardInput
    case file(String)
    /// An absolute http(s) URL.
    case url(String)
  }

  package enum Revalidation: String, Sendable, CaseIterable {
    /// Ask the server about every source in every run.
    case always
    /// Ask when the answer's own freshness (Cache-Control, Expires) is over.
    case whenStale = "when-stale"
    /// What is known is never asked for again.
    case never
  }

  /// Which items are fetched first.
  package enum Order: String, Sendable, CaseIterable {
    /// The first in the manifest.
    case manifest
    /// The last in the manifest.
    case newestFirst = "newest-first"
  }

  package struct Fetch: Sendable {
    package var order = Order.manifest
    package var concurrency = 16
    package var perHost = 6
    /// To connect, and to the first byte.
    package var timeout = Duration.seconds(15)
    /// One item, all its tries included.
    package var deadline = Duration.seconds(120)
    /// Bytes a second, over ten seconds; slower is a stall.
    package var minimumSpeed = 1_000
    /// Further tries after the first.
    package var retries = 4
    package var maximumBytes = 64_000_000
    package var redirects = 5
    package var revalidation = Revalidation.whenStale
    /// Query parameters that are left out of the cache key and of the catalog.
    package var ignoredQuery: [String] = []
    package var rewrites: [Rewrite] = []
    package var headers: [Header] = []
    /// `loopback`, `private`, CIDR blocks, or `files:` and a folder.
    package var allow: [String] = []
    package static let folderMark = "files:"

    /// Folders that `file:` URLs may name files in.
    package var folders: [String] {
      allow.filter { $0.hasPrefix(Self.folderMark) }.map {
        String($0.dropFirst(Self.folderMark.count))
      }
    }
    /// How long the last good files of a source stand that can't be reached.
    package var keepStale = Duration.seconds(30 * 86_400)
    /// Bytes of sources that are kept for later runs; nil where none are.
    package var cache: Int?
    package var userAgent = "Tessera/0.1 (+https://example.com/contact)"
  }

  package struct Rewrite: Sendable, Equatable {
    package var from: String
    package var to: String

    package init(from: String, to: String) {
      self.from = from
      self.to = to
    }
  }

  package struct Header: Sendable, Equatable {
    package var name: String
    package var value: String

    package init(name: String, value: String) {
      self.name = name
      self.value = value
    }
  }

  /// For one source, in one worker.
  package struct Limits: Sendable {
    package var pixels = 100_000_000
    package var frames = 1_000
    /// Address space in bytes.
    package var memory = 2_000_000_000
    package var time = Duration.seconds(60)
  }

  /// Of the design's list, the formats that this version decodes.
  package static let defaultAccept: [ImageFormat] = [
    .jpeg, .png, .gif, .webp, .avif, .heic, .tiff, .jxl, .bmp,
  ].filter(\.isDecoded)
}
