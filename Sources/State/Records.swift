/// What is known of the bytes behind a URL.
package struct SourceRecord: Sendable, Equatable {
  /// SHA-256 of the bytes, in hexadecimal.
  package var content: String
  package var etag: String?
  package var lastModified: String?
  /// When the server last confirmed the bytes; seconds since 1970.
  package var checked: Double
  /// Until when they may be used without asking; nil where the server did not say.
  package var freshUntil: Double?
  /// The run in which they were last confirmed.
  package var run: Int

  package init(
    content: String, etag: String?, lastModified: String?, checked: Double, freshUntil: Double?,
    run: Int
  ) {
    self.content = content
    self.etag = etag
    self.lastModified = lastModified
    self.checked = checked
    self.freshUntil = freshUntil
    self.run = run
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

  package init(
    format: String, width: Int, height: Int, hasAlpha: Bool, frames: Int, warnings: [String]
  ) {
    self.format = format
    self.width = width
    self.height = height
    self.hasAlpha = hasAlpha
    self.frames = frames
    self.warnings = warnings
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

  package init(path: String, width: Int, height: Int, bytes: Int) {
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
