/// What the pipeline file says about variants; the same for all sources.
package struct PlanSettings: Sendable, Equatable {
  package var slots: [Slot]
  /// Device pixels a point, ascending.
  package var scales: [Int]
  package var rounding: Rounding
  /// The formats that each variant is written in, the preferred one first. Not empty.
  package var formats: [FormatChoice]
  /// 1 to 100, for the formats that have a quality.
  package var quality: EncoderSetting
  /// For the formats whose encoder has such a setting.
  package var effort: EncoderSetting
  /// Takes over where a side is over the format's limit.
  package var oversized: OutputFormat
  package var background: Colour
  package var metadata: MetadataPolicy
  package var keepsAnimation: Bool
  /// Where crops are taken from, of sources that do not say themselves.
  package var gravity: Gravity

  package init(
    slots: [Slot], scales: [Int] = [1, 2, 3], rounding: Rounding = .powerOfTwo,
    formats: [FormatChoice] = [.fixed(.webp)], quality: EncoderSetting = .quality,
    effort: EncoderSetting = .effort, oversized: OutputFormat = .jpeg,
    background: Colour = .white, metadata: MetadataPolicy = .strip,
    keepsAnimation: Bool = true, gravity: Gravity = .centre
  ) {
    self.slots = slots
    self.scales = scales
    self.rounding = rounding
    self.formats = formats
    self.quality = quality
    self.effort = effort
    self.oversized = oversized
    self.background = background
    self.metadata = metadata
    self.keepsAnimation = keepsAnimation
    self.gravity = gravity
  }
}

/// A number for each format whose encoder takes it; nil for the others.
package struct EncoderSetting: Sendable, Equatable {
  private var numbers: [Int?]

  package init(_ number: (OutputFormat) -> Int?) { numbers = OutputFormat.allCases.map(number) }

  package subscript(format: OutputFormat) -> Int? {
    get { numbers[format.index] }
    set { numbers[format.index] = newValue }
  }

  /// The defaults of `quality`. AVIF at 65 looks as good as WebP at 80: SSIMULACRA says 0.022 for both,
  /// over 14 photographs at 128 to 1,024 pixels, with 0.81 of the bytes.
  package static let quality = EncoderSetting { format in
    switch format {
    case .webp, .jpeg, .jxl: 80
    case .avif: 65
    case .png: nil
    }
  }

  /// The defaults of `effort`. AVIF: 4 takes 3.4 times the processor time of 2 and saves no bytes (it
  /// looks a little better). JPEG XL: 5 has 0.92 of the bytes of 3 for 1.37 times the time; 7 saves
  /// nothing more.
  package static let effort = EncoderSetting { format in
    switch format {
    case .webp: 4
    case .avif: 2
    case .jxl: 5
    case .jpeg, .png: nil
    }
  }
}

/// A format as a pipeline asks for it: one of the formats, or one that depends on the source.
package enum FormatChoice: Sendable, Hashable, RawRepresentable {
  case fixed(OutputFormat)
  /// The source's own, where it is one of the formats that are written; otherwise WebP where the
  /// source moves, and ``compatible`` where it does not.
  case source
  /// What every program reads: PNG where the source has alpha, else JPEG.
  case compatible

  /// All, in the order in which they are listed for people.
  package static let all: [FormatChoice] =
    OutputFormat.allCases.map { .fixed($0) } + [.source, .compatible]

  /// As the pipeline file spells it.
  package var rawValue: String {
    switch self {
    case .fixed(let format): format.rawValue
    case .source: "source"
    case .compatible: "compatible"
    }
  }

  package init?(rawValue: String) {
    guard let choice = Self.all.first(where: { $0.rawValue == rawValue }) else { return nil }
    self = choice
  }

  /// All formats that it may come to, before anything gives way.
  package var formats: [OutputFormat] {
    switch self {
    case .fixed(let format): [format]
    case .source: OutputFormat.allCases
    case .compatible: [.jpeg, .png]
    }
  }

  func format(for source: PlanSource, moves: Bool) -> OutputFormat {
    switch self {
    case .fixed(let format): format
    case .source: source.format ?? (moves ? .webp : source.hasAlpha ? .png : .jpeg)
    case .compatible: source.hasAlpha ? .png : .jpeg
    }
  }
}

/// What crops keep of a picture.
package enum Gravity: Sendable, Hashable, RawRepresentable {
  /// A side or corner, or the middle.
  case side(Side)
  /// A place that is found in the pixels.
  case found(Interest)

  package enum Side: String, Sendable, CaseIterable {
    case centre, north, east, south, west
    case northEast = "north-east"
    case southEast = "south-east"
    case southWest = "south-west"
    case northWest = "north-west"

    /// The point that a crop is centred on, as far as it can be.
    package var focus: PlanSource.Focus {
      switch self {
      case .centre: .init(x: 0.5, y: 0.5)
      case .north: .init(x: 0.5, y: 0)
      case .northEast: .init(x: 1, y: 0)
      case .east: .init(x: 1, y: 0.5)
      case .southEast: .init(x: 1, y: 1)
      case .south: .init(x: 0.5, y: 1)
      case .southWest: .init(x: 0, y: 1)
      case .west: .init(x: 0, y: 0.5)
      case .northWest: .init(x: 0, y: 0)
      }
    }
  }

  package static var centre: Gravity { .side(.centre) }

  package static let all: [Gravity] =
    Side.allCases.map { .side($0) } + Interest.allCases.map { .found($0) }

  /// As the pipeline file spells it.
  package var rawValue: String {
    switch self {
    case .side(let side): side.rawValue
    case .found(let interest): interest.rawValue
    }
  }

  package init?(rawValue: String) {
    guard let gravity = Self.all.first(where: { $0.rawValue == rawValue }) else { return nil }
    self = gravity
  }
}

/// What makes a part of a picture the one to keep, as libvips' `smartcrop` judges it.
package enum Interest: String, Sendable, CaseIterable {
  /// Edges, skin and bright colours.
  case attention
  /// The least flat.
  case entropy
}
