package import TesseraImageHeader
package import TesseraPipelineFile
internal import TesseraPlan
package import TesseraState

/// Which sources a pipeline accepts. Pure.
package struct Acceptance: Sendable {
  let formats: [ImageFormat]
  /// Pixels of all frames together.
  let pixels: Int
  let frames: Int
  let maximumBytes: Int
  let failOn: FailOn
  let dynamicRange: DynamicRange
  /// Of the image service that makes the images; nil if a run makes files of what it does not read.
  private let service: ServiceLimits?

  package init(_ file: PipelineFile) {
    formats = file.accept
    pixels = file.limits.pixels
    frames = file.limits.frames
    maximumBytes = file.fetch.maximumBytes
    failOn = file.failOn
    dynamicRange = file.plan.dynamicRange
    service = file.deliveringService.flatMap {
      $0.filesFor.contains(.oversized) ? nil : $0.limits
    }
  }

  /// VIPS_MAX_COORD of libvips 8.14.
  private static let longestSide = 10_000_000

  /// Why a header's image is not accepted; nil if it is, or if the header is not complete yet.
  package func rejection(of reading: HeaderReading) -> Rejection? {
    switch reading {
    case .needs: return nil
    case .rejected(let rejection):
      return .header(code: rejection.kind.rawValue, reason: rejection.reason)
    case .header(let header):
      let image = ImageFacts(header)
      guard formats.contains(header.format) else {
        return .unsupportedFormat(image, accepted: formats.map(\.rawValue))
      }
      guard max(header.pixelWidth, header.pixelHeight) <= Self.longestSide else {
        return .sideTooLong(image)
      }
      // Cannot overflow: both sides are below the limit above.
      guard header.pixelWidth * header.pixelHeight <= pixels else {
        return .tooManyPixels(image, limit: pixels)
      }
      return unreadable(header.facts.planned(header.format.rawValue, focus: nil))
    }
  }

  /// Why an image service can't show a source; nil if it can, or if the source can be shown as it is.
  private func unreadable(_ source: PlanSource) -> Rejection? {
    guard let service, !service.reads(source), !source.isShownAnywhere else { return nil }
    let image = ImageFacts(format: source.container ?? "", size: source.size)
    let (limits, names) = (service.source, formats.map(\.rawValue))
    if !limits.formats.isEmpty, !limits.formats.contains(image.format) {
      return .unsupportedFormat(image, accepted: names.filter(limits.formats.contains))
    }
    if let bytes = limits.bytes, source.bytes ?? 0 > bytes { return .tooLarge(image, limit: bytes) }
    return .tooManyPixels(image, limit: limits.pixels ?? limits.side.map { $0 * $0 } ?? pixels)
  }

  /// As ``rejection(of:)``, for a layout run, which does not see the whole source.
  ///
  /// - Parameter length: the source's length in bytes, if the server states it.
  func rejection(of reading: HeaderReading, length: Int?) -> Rejection? {
    if let rejection = rejection(of: reading) { return rejection }
    guard case .header(let header) = reading, let length else { return nil }
    if length > maximumBytes { return .tooLarge(ImageFacts(header), limit: maximumBytes) }
    var source = header.facts.planned(header.format.rawValue, focus: nil)
    source.bytes = length
    return unreadable(source)
  }

  /// Whether a decoded source is still accepted; the pipeline may have changed since.
  package func accepts(_ content: ContentRecord) -> Bool {
    formats.contains { $0.rawValue == content.format } && content.facts.frames <= frames
      && passes(content.warnings)
      // Divided, because the largest sides times the most frames do not fit into 64 bits.
      && content.facts.size.area <= pixels / max(1, content.facts.frames)
      && content.bytes ?? 0 <= maximumBytes
  }

  /// Whether it is known if the source has a gain map, where that matters; only a JPEG can.
  func isExamined(_ content: ContentRecord) -> Bool {
    dynamicRange == .sdr || content.format != ImageFormat.jpeg.rawValue
      || content.facts.headroom != nil
  }

  /// Whether a header that was read earlier is still accepted. It does not say how many frames there
  /// are.
  package func accepts(_ header: HeaderRecord) -> Bool {
    var source = header.facts.planned(header.format, focus: nil)
    source.bytes = header.bytes
    return formats.contains { $0.rawValue == header.format }
      && header.width * header.height <= pixels && unreadable(source) == nil
  }

  /// Whether a source is decoded at this strictness. One that was accepted at a laxer level may be
  /// rejected at another; only decoding it again can tell.
  private func passes(_ warnings: [SourceWarning]) -> Bool {
    func isDamaged(_ level: FailOn) -> Bool {
      warnings.contains { if case .damaged(level, _) = $0 { true } else { false } }
    }
    return switch failOn {
    case .none: true
    case .truncated: !isDamaged(.none)
    case .error: !isDamaged(.none) && !isDamaged(.truncated)
    }
  }
}

extension ImageFacts {
  init(_ header: ImageHeader) {
    self.init(format: header.format.rawValue, size: Size(header.width, header.height))
  }
}
