package import TesseraCatalog
package import TesseraPlan

/// What a coordinator may request from a worker.
package enum WorkerRequest: Sendable, Equatable, Codable {
  case transcode(TranscodeJob)
  /// Make a part of a table.
  case table(TableJob)
  /// Compare two images.
  case compare(ComparisonJob)
  /// Test what the worker's libraries can do.
  case examine
}

/// How a worker ended: the only line that the fork server sends on the worker's control channel.
package enum WorkerEnd: Sendable, Equatable, Codable {
  /// The status of waitpid(2).
  case ended(status: Int32)
  /// There was no worker: fork(2) failed with this errno value.
  case notStarted(code: Int32)
}

/// A request to a worker: one source, decoded once, and all files to make from it.
///
/// Two descriptors come with it, the source for reading and memory for the files; or the bytes of a small source, whose files
/// come with the reply.
package struct TranscodeJob: Sendable, Equatable, Codable {
  /// The format that our own header reader found, by its catalog name.
  package var format: String
  /// What the plan was made for. If the decoder sees something else, the worker replies so instead.
  package var expected: SourceFacts
  /// ``Plan/decode(of:)`` of the plan for all slots.
  package var decode: DecodePlan
  package var failOn: FailOn
  /// The limit for all frames together.
  package var maximumPixels: Int
  package var maximumFrames: Int
  package var files: [PlannedFile]
  /// What to make of the uncropped image besides; with none, not even the colour.
  package var placeholders: [Placeholders.Kind]

  package init(
    format: String, expected: SourceFacts, decode: DecodePlan, failOn: FailOn,
    maximumPixels: Int, maximumFrames: Int, files: [PlannedFile],
    placeholders: [Placeholders.Kind]
  ) {
    self.format = format
    self.expected = expected
    self.decode = decode
    self.failOn = failOn
    self.maximumPixels = maximumPixels
    self.maximumFrames = maximumFrames
    self.files = files
    self.placeholders = placeholders
  }
}

/// A request to a worker: the pixels of some entries of a table, or a whole atlas.
///
/// Two descriptors come with it: the published files of the entries, one after the other, and memory for the result.
/// The result is one file: an entry's bytes for each entry, or the encoded atlas.
package struct TableJob: Sendable, Equatable, Codable {
  package var pixels: TablePixels
  /// From the start of a row to that of the next one, and of an entry.
  package var rowBytes: Int
  package var entryBytes: Int
  /// What transparent pixels are drawn on in formats without alpha.
  package var background: Colour
  /// Nil if pixels are made.
  package var atlas: Atlas?
  package var maximumPixels: Int
  package var entries: [Entry]

  /// One image of a table.
  package struct Entry: Sendable, Equatable, Codable {
    /// Of the image's file among the source's bytes.
    package var offset: Int
    package var length: Int
    /// By its catalog name.
    package var format: String
    /// What the file must have.
    package var size: Size
    /// In the atlas; zero without one.
    package var x = 0
    package var y = 0

    package init(offset: Int, length: Int, format: String, size: Size) {
      (self.offset, self.length, self.format, self.size) = (offset, length, format, size)
    }
  }

  /// How an atlas is encoded.
  package struct Atlas: Sendable, Equatable, Codable {
    package var size: Size
    package var quality: Int
    package var effort: Int

    package init(size: Size, quality: Int, effort: Int) {
      (self.size, self.quality, self.effort) = (size, quality, effort)
    }
  }

  package init(
    pixels: TablePixels, rowBytes: Int, entryBytes: Int, background: Colour,
    atlas: Atlas? = nil, maximumPixels: Int, entries: [Entry]
  ) {
    self.pixels = pixels
    (self.rowBytes, self.entryBytes) = (rowBytes, entryBytes)
    (self.background, self.atlas) = (background, atlas)
    (self.maximumPixels, self.entries) = (maximumPixels, entries)
  }
}

/// A request to a worker: how close one image is to another, by SSIMULACRA 2.1.
///
/// The source that comes with it holds the files of both, one after the other; nothing is written to the memory.
package struct ComparisonJob: Sendable, Equatable, Codable {
  /// Displayed pixels, of both.
  package var size: Size
  package var reference: Image
  package var candidate: Image

  /// One file of the source.
  package struct Image: Sendable, Equatable, Codable {
    package var length: Int
    /// By its catalog name.
    package var format: String

    package init(length: Int, format: String) {
      (self.length, self.format) = (length, format)
    }
  }

  package init(size: Size, reference: Image, candidate: Image) {
    self.size = size
    (self.reference, self.candidate) = (reference, candidate)
  }
}

/// How close an image is to its reference. Scores are at most 100, for identical images, and have no lower bound.
package struct Likeness: Sendable, Equatable, Codable {
  package var score: Double
  /// The square of about 64 pixels with the lowest score: its corner, its size and its score.
  package var worstTile: Tile

  package struct Tile: Sendable, Equatable, Codable {
    package var score: Double
    package var x: Int
    package var y: Int
    package var size: Size

    package init(score: Double, x: Int, y: Int, size: Size) {
      self.score = score
      (self.x, self.y, self.size) = (x, y, size)
    }
  }

  package init(score: Double, worstTile: Tile) {
    (self.score, self.worstTile) = (score, worstTile)
  }
}

/// The result of one test of a worker's libraries.
package struct ExaminationCheck: Sendable, Equatable, Codable {
  package enum Kind: String, Sendable, Codable, CaseIterable {
    /// Decode a format.
    case read
    /// Encode a format and decode the result.
    case write
    /// Turn an image upright.
    case turn
    /// Convert colours to sRGB.
    case colour
  }

  package var kind: Kind
  /// What was tested: a format, an orientation, a kind of colour.
  package var subject: String
  /// A sentence without its full stop; nil if the test succeeded.
  package var problem: String?

  package init(_ kind: Kind, _ subject: String, problem: String?) {
    self.kind = kind
    self.subject = subject
    self.problem = problem
  }
}
