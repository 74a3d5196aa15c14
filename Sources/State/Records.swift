/// When, and as which version, a server last stood by what is known of a source.
package struct Confirmation: Sendable, Equatable {
  package var etag: String?
  package var lastModified: String?
  /// Seconds since 1970.
  package var checked: Double
  /// Until when it may be used without asking; nil where the server did not say.
  package var freshUntil: Double?
  /// The run in which that was.
  package var run: Int

  package init(
    etag: String?, lastModified: String?, checked: Double, freshUntil: Double?, run: Int
  ) {
    self.etag = etag
    self.lastModified = lastModified
    self.checked = checked
    self.freshUntil = freshUntil
    self.run = run
  }
}

/// What is known of the bytes behind a URL.
package struct SourceRecord: Sendable, Equatable {
  /// SHA-256 of the bytes, in hexadecimal.
  package var content: String
  package var confirmation: Confirmation
  /// After redirects, without secrets.
  package var url: String?
  /// What its owner wants nobody to do with it.
  package var robots: String?

  package init(
    content: String, confirmation: Confirmation, url: String? = nil, robots: String? = nil
  ) {
    self.content = content
    self.confirmation = confirmation
    self.url = url
    self.robots = robots
  }
}

/// What the header of a source told, whose bytes were not fetched for it.
package struct HeaderRecord: Sendable, Equatable {
  package var format: String
  /// Displayed pixels.
  package var width: Int
  package var height: Int
  package var hasAlpha: Bool
  /// Nil where the header did not tell.
  package var isAnimated: Bool?
  package var confirmation: Confirmation

  package init(
    format: String, width: Int, height: Int, hasAlpha: Bool, isAnimated: Bool?,
    confirmation: Confirmation
  ) {
    self.format = format
    self.width = width
    self.height = height
    self.hasAlpha = hasAlpha
    self.isAnimated = isAnimated
    self.confirmation = confirmation
  }
}

/// Why there is nothing to show of what a URL led to.
package struct RejectionRecord: Sendable, Equatable {
  package enum Kind: String, Sendable {
    /// Its first bytes were enough to see that it is not let in.
    case refused
    case undecodable
  }

  /// Stands for everything but the bytes that was decisive.
  package var settings: String
  package var kind: Kind
  /// The catalog's.
  package var code: String
  package var message: String
  /// What is known of the picture.
  package var format: String?
  /// Displayed pixels.
  package var width: Int?
  package var height: Int?
  /// SHA-256 of the bytes; nil where not all of them came.
  package var content: String?
  package var etag: String?
  /// SHA-256 of the URL that the bytes came from, after redirects.
  package var place: String
  /// When they were looked at last; seconds since 1970.
  package var seen: Double
  /// Whether two looks came to the same. What was cut off or mixed up on its way looks like a broken picture, too.
  package var wasSeenTwice = false

  package init(
    settings: String, kind: Kind, code: String, message: String, content: String?, etag: String?,
    place: String, seen: Double
  ) {
    self.settings = settings
    self.kind = kind
    self.code = code
    self.message = message
    self.content = content
    self.etag = etag
    self.place = place
    self.seen = seen
  }
}

/// What its decoder saw in some bytes.
package struct ContentRecord: Sendable, Equatable {
  package var format: String
  /// Displayed pixels.
  package var width: Int
  package var height: Int
  package var hasAlpha: Bool
  package var frames: Int
  package var warnings: [String]
  /// Pixels as the header tells them, unturned; nil where an earlier version did not note them.
  package var headerWidth: Int?
  package var headerHeight: Int?
  /// Nil, like what follows, where an earlier version did not note it.
  package var bytes: Int? = nil
  /// Exif's, 1 to 8.
  package var orientation: Int? = nil
  package var colourSpace: String? = nil
  /// The name of its ICC profile; nil also where it has none.
  package var profile: String? = nil

  package init(
    format: String, width: Int, height: Int, hasAlpha: Bool, frames: Int, warnings: [String],
    headerWidth: Int? = nil, headerHeight: Int? = nil
  ) {
    self.format = format
    self.width = width
    self.height = height
    self.hasAlpha = hasAlpha
    self.frames = frames
    self.warnings = warnings
    self.headerWidth = headerWidth
    self.headerHeight = headerHeight
  }
}

/// The last look at a source.
package enum Sighting: Sendable, Equatable {
  /// Its bytes were decoded.
  case content(ContentRecord)
  /// Its header alone was read.
  case header(HeaderRecord)
}

extension HeaderRecord {
  /// Whether the numbers can be true: no side has more than 31 bits.
  var isPossible: Bool {
    (1...0x7FFF_FFFF).contains(width) && (1...0x7FFF_FFFF).contains(height)
  }
}

extension ContentRecord {
  /// Whether the numbers can be true.
  var isPossible: Bool {
    (1...10_000_000).contains(width) && (1...10_000_000).contains(height)
      && (1...1_000_000).contains(frames)
  }
}

/// A published file.
package struct VariantRecord: Sendable, Equatable {
  /// Relative to the output.
  package var path: String
  package var width: Int
  package var height: Int
  package var bytes: Int
  /// In hexadecimal; nil where an earlier version did not note it.
  package var sha256: String?

  package init(path: String, width: Int, height: Int, bytes: Int, sha256: String? = nil) {
    self.sha256 = sha256
    self.path = path
    self.width = width
    self.height = height
    self.bytes = bytes
  }
}

/// What a manifest's line means for the run.
package enum Claim: Sendable, Equatable {
  case new
  /// The same entry stood in this manifest before.
  case repeated
  /// Another entry with this id stands on that line.
  case conflict(line: Int)
}
