package import TesseraImageHeader
package import TesseraPlan
package import TesseraState
package import TesseraWire

/// What a source's header says.
struct HeaderFacts: Sendable {
  var format: String
  var facts: SourceFacts
  /// Pixels before orientation; nil if an earlier version did not store them.
  var width: Int?
  var height: Int?
  /// The Exif orientation, 1 to 8.
  var orientation: Int?

  init(_ header: ImageHeader) {
    format = header.format.rawValue
    facts = header.facts
    (width, height) = (header.pixelWidth, header.pixelHeight)
    orientation = header.orientation.rawValue
  }

  init(_ content: ContentRecord) {
    format = content.format
    facts = content.facts
    (width, height) = (content.headerWidth, content.headerHeight)
    orientation = content.orientation
  }

  /// The record of a content, with what the decoder saw.
  func content(_ seen: SourceFacts, warnings: [SourceWarning], bytes: Int?) -> ContentRecord {
    var content = ContentRecord(
      format: format, width: seen.size.width, height: seen.size.height, hasAlpha: seen.hasAlpha,
      frames: seen.frames, warnings: warnings, headerWidth: width, headerHeight: height)
    content.bytes = bytes
    content.orientation = orientation
    content.colourSpace = seen.colourSpace
    content.profile = seen.profile
    return content
  }
}

extension SourceFacts {
  /// - Parameter format: the source's, as the catalog names it.
  package func planned(_ format: String, focus: PlanSource.Focus?) -> PlanSource {
    PlanSource(
      size: size, format: OutputFormat(rawValue: format),
      isPhotograph: ImageFormat(rawValue: format)?.isForPhotographs ?? false, hasAlpha: hasAlpha,
      isAnimated: frames > 1, focus: focus)
  }

  /// Two frames stand for "animated": a header does not say how many there are. If the header does not
  /// even say whether, the plan is for a still image, and the decoder corrects it.
  fileprivate init(_ size: Size, hasAlpha: Bool, isAnimated: Bool?) {
    self.init(size: size, hasAlpha: hasAlpha, frames: isAnimated == true ? 2 : 1)
  }
}

extension ContentRecord {
  package var facts: SourceFacts {
    SourceFacts(size: Size(width, height), hasAlpha: hasAlpha, frames: frames)
  }
}

extension HeaderRecord {
  init(_ header: ImageHeader, _ confirmation: Confirmation, place: String) {
    self.init(
      format: header.format.rawValue, width: header.width, height: header.height,
      hasAlpha: header.hasAlpha, isAnimated: header.isDecodedAnimated, confirmation: confirmation,
      place: place)
  }

  package var facts: SourceFacts {
    SourceFacts(Size(width, height), hasAlpha: hasAlpha, isAnimated: isAnimated)
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
