package import TesseraPlaceholder
package import TesseraPlan

/// What the coordinator asks of a worker: one source, decoded once, and all files made from it.
package struct TranscodeJob: Sendable, Equatable {
  package var identifier: Int
  /// The spooled source.
  package var source: String
  /// What our own header reader found the source to be, as its catalog name.
  package var format: String
  /// What the plan was made for. Where the decoder sees something else, it says so instead.
  package var expected: SourceFacts
  /// ``Plan/decode(of:)`` of the plan for all slots.
  package var decode: DecodePlan
  package var failOn: FailOn
  /// Most pixels of all frames together.
  package var maximumPixels: Int
  package var maximumFrames: Int
  package var outputs: [Output]

  /// One file to make.
  package struct Output: Sendable, Equatable {
    /// Where to write it. Nothing else stands there.
    package var path: String
    package var file: PlannedFile

    package init(path: String, file: PlannedFile) {
      self.path = path
      self.file = file
    }
  }

  package init(
    identifier: Int, source: String, format: String, expected: SourceFacts,
    decode: DecodePlan, failOn: FailOn, maximumPixels: Int,
    maximumFrames: Int, outputs: [Output]
  ) {
    self.identifier = identifier
    self.source = source
    self.format = format
    self.expected = expected
    self.decode = decode
    self.failOn = failOn
    self.maximumPixels = maximumPixels
    self.maximumFrames = maximumFrames
    self.outputs = outputs
  }
}

/// What a source is, as its decoder sees it.
package struct SourceFacts: Sendable, Equatable {
  /// Displayed pixels, of one frame.
  package var size: Size
  package var hasAlpha: Bool
  /// At least 1.
  package var frames: Int
  /// What its samples are: `rgb`, `grey`, `cmyk`, `lab`; nil where nobody has looked.
  package var colourSpace: String?
  /// The name of its ICC profile; nil where it has none, or one without a name.
  package var profile: String?

  package init(
    size: Size, hasAlpha: Bool, frames: Int, colourSpace: String? = nil, profile: String? = nil
  ) {
    self.size = size
    self.hasAlpha = hasAlpha
    self.frames = frames
    self.colourSpace = colourSpace
    self.profile = profile
  }

  /// Sides and frames that no decoder of ours gives out (VIPS_MAX_COORD; a billion pixels at least).
  private static let longestSide = 10_000_000
  private static let mostFrames = 1_000_000

  /// Whether the numbers can be true. What another process says is not believed: sums and products
  /// are made of it.
  package var isPossible: Bool {
    (1...Self.longestSide).contains(size.width) && (1...Self.longestSide).contains(size.height)
      && (1...Self.mostFrames).contains(frames)
  }

  /// Whether a plan made for one of the two holds for the other.
  package func plansLike(_ other: SourceFacts) -> Bool {
    size == other.size && hasAlpha == other.hasAlpha && (frames > 1) == (other.frames > 1)
  }
}

/// What a worker answers.
package enum TranscodeReply: Sendable, Equatable {
  /// How the warning begins that a source is damaged, and shown all the same, since the pipeline asks for
  /// no more.
  package static func damageWarning(_ failOn: FailOn) -> String {
    "the picture is damaged, and shown as far as it can be decoded (fail-on: \(failOn.rawValue))"
  }

  /// All files are written.
  case done(SourceFacts, Placeholders, warnings: [String])
  /// Nothing was made: the source is not what the plan was made for.
  case differs(SourceFacts)
  case failed(TranscodeFailure)
}

/// Why a source could not be turned into files.
package struct TranscodeFailure: Error, Sendable, Equatable {
  /// The raw value is the catalog's `error.code`.
  package enum Code: String, Sendable {
    /// The decoder refused the bytes.
    case decode
    /// The encoder failed.
    case encode
    case tooManyPixels = "too-many-pixels"
    case tooManyFrames = "too-many-frames"
    case tooManyScans = "too-many-scans"
    /// A file could not be read or written: the fault is ours.
    case local
    /// The worker ended in the middle of the job.
    case workerCrashed = "worker-crashed"
    /// The job took longer than `limits.time`.
    case workerTimeout = "worker-timeout"
    /// The job needed more than `limits.memory`.
    case outOfMemory = "out-of-memory"
    /// The worker's answer made no sense.
    case workerProtocol = "worker-protocol"
    case cancelled
  }

  package var code: Code
  /// A sentence without its full stop.
  package var message: String

  package init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }
}

/// The first line a worker sends: it is up, and this is what it works with.
package struct WorkerHello: Sendable, Equatable {
  /// Both executables must be of one build; the number says whether they talk alike.
  package static let protocolVersion = 7

  package var protocolVersion: Int
  package var libvips: String
  package var confinement: Confinement

  package init(
    protocolVersion: Int = Self.protocolVersion, libvips: String, confinement: Confinement
  ) {
    self.protocolVersion = protocolVersion
    self.libvips = libvips
    self.confinement = confinement
  }
}

/// What of the kernel's means keeps a worker in.
package struct Confinement: Sendable, Equatable {
  /// The version of Landlock, which lets it read and write in its own folders alone; 0 where the kernel
  /// has none.
  package var landlock: Int
  /// Whether a filter keeps it from the network and from starting processes.
  package var hasSeccomp: Bool

  package init(landlock: Int, hasSeccomp: Bool) {
    self.landlock = landlock
    self.hasSeccomp = hasSeccomp
  }
}
