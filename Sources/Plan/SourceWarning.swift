/// A defect of a source that did not keep it from being decoded.
///
/// Warnings depend only on the source's bytes and the `fail-on` level, so they are stored with the
/// source.
package enum SourceWarning: Sendable, Equatable, Codable {
  /// The source is damaged and was decoded as far as possible, because the pipeline's `fail-on` level
  /// permits it. The detail is the message of the strict decode, which failed.
  case damaged(FailOn, detail: String)
  /// The colour profile cannot be read, or is not for this image's kind of samples. It was ignored.
  case damagedProfile
  /// The colour profile can be read, but not converted from. The detail is libvips' message.
  case unusableProfile(detail: String)
  /// The image has light beyond the white of a page (PQ or HLG), which was compressed.
  case toneMapped
  /// The image is an animation, of which no decoder here shows more than one image.
  case stillOfAnimation
  /// A drawing has what librsvg does not draw. The detail lists it.
  case drawingIncomplete(detail: String)
  /// The decoder shows another size than the header says, or turns the image otherwise. The detail names both.
  case headerDiffers(detail: String)
}

extension SourceWarning {
  /// What the sentence begins with, and what the state stores.
  package enum Code: String, Sendable, CaseIterable {
    case damaged
    case damagedProfile = "damaged-profile"
    case unusableProfile = "unusable-profile"
    case toneMapped = "tone-mapped"
    case stillOfAnimation = "still-of-animation"
    case drawingIncomplete = "drawing-incomplete"
    case headerDiffers = "header-differs"
  }

  package var code: Code {
    switch self {
    case .damaged: .damaged
    case .damagedProfile: .damagedProfile
    case .unusableProfile: .unusableProfile
    case .toneMapped: .toneMapped
    case .stillOfAnimation: .stillOfAnimation
    case .drawingIncomplete: .drawingIncomplete
    case .headerDiffers: .headerDiffers
    }
  }

  /// The warning as the catalog shows it, without a full stop: its code, and what it means.
  package var sentence: String { "\(code.rawValue): \(text)" }

  private var text: String {
    switch self {
    case .damaged(let level, let detail):
      "the image is damaged and was decoded as far as possible (fail-on: \(level.rawValue)): "
        + detail
    case .damagedProfile: "the colour profile is damaged or does not match the image"
    case .unusableProfile(let detail): "the colour profile could not be used: \(detail)"
    case .toneMapped: "the image is HDR, and its highlights were compressed"
    case .stillOfAnimation: "only one image of the animation can be decoded in this format"
    case .drawingIncomplete(let detail): "browsers show what is not drawn here: \(detail)"
    case .headerDiffers(let detail): "the image is not displayed as its header says: \(detail)"
    }
  }
}
