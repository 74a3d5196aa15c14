package import TesseraCatalog
package import TesseraImageHeader
package import TesseraPlan
package import TesseraState
internal import TesseraWorkers

extension ContentRecord {
  /// What the header alone says.
  init(_ header: ImageHeader) {
    self.init(
      format: header.format.rawValue, facts: header.facts,
      pixels: Size(header.pixelWidth, header.pixelHeight), orientation: header.orientation.rawValue)
  }

  /// With what the decoder saw.
  func decoded(_ facts: SourceFacts, _ warnings: [SourceWarning], bytes: Int?) -> ContentRecord {
    var content = self
    (content.facts, content.warnings, content.bytes) = (facts, warnings, bytes)
    return content
  }
}

extension SourceFacts {
  /// - Parameter format: the source's, as the catalog names it.
  package func planned(_ format: String, focus: CatalogFocus?) -> PlanSource {
    var source = PlanSource(
      size: size, format: OutputFormat(rawValue: format),
      isPhotograph: ImageFormat(rawValue: format)?.isForPhotographs ?? false, hasAlpha: hasAlpha,
      hasGainMap: hasGainMap, focus: focus)
    source.frames = frames
    source.container = format
    return source
  }

  /// Two frames stand for "animated" if they were not counted: a header does not say how many there are. If the header does not
  /// even say whether, the plan is for a still image, and the decoder corrects it.
  fileprivate init(_ size: Size, hasAlpha: Bool, isAnimated: Bool?, frames: Int? = nil) {
    self.init(size: size, hasAlpha: hasAlpha, frames: frames ?? (isAnimated == true ? 2 : 1))
  }
}

extension HeaderRecord {
  init(_ header: ImageHeader, bytes: Int?, _ confirmation: Confirmation, place: String) {
    self.init(
      format: header.format.rawValue, width: header.width, height: header.height,
      hasAlpha: header.hasAlpha, isAnimated: header.isDecodedAnimated,
      frames: header.isDecodedAnimated == true ? header.frames : nil, bytes: bytes,
      confirmation: confirmation, place: place)
  }

  package var facts: SourceFacts {
    SourceFacts(
      Size(width, height), hasAlpha: hasAlpha, isAnimated: isAnimated, frames: frames)
  }

  /// What counts the frames of the source; nil if their number is known.
  var frameCounter: FrameCounter? {
    guard frames == nil, isAnimated != false else { return nil }
    return ImageFormat(rawValue: format).flatMap { FrameCounter($0) }
  }
}

extension ImageHeader {
  /// What the header promises.
  package var facts: SourceFacts {
    SourceFacts(Size(width, height), hasAlpha: hasAlpha, isAnimated: isDecodedAnimated)
  }

  /// Whether the decoded image is animated; nil if the header does not say.
  var isDecodedAnimated: Bool? { format.hasFrames ? isAnimated : false }
}
