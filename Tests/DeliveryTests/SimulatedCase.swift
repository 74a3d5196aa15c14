import TesseraCatalog
import TesseraPlan

/// Compares a variant in a catalog with what the service makes of its URLs.
struct SimulatedCase {
  private let source: SimulatedSource
  private let service: SimulatedService
  private let formats: [String]
  private let isMoving: Bool

  init(
    _ source: SimulatedSource, _ service: SimulatedService, _ formats: [String], isMoving: Bool
  ) {
    self.source = source
    self.service = service
    self.formats = formats
    self.isMoving = isMoving && source.frames > 1
  }

  /// - Parameter asked: the longer sides that slots ask for.
  func problems(_ variant: CatalogVariant, _ planned: PlannedVariant, asked: [Int]) -> [String] {
    let whole = planned.crop?.size ?? Size(source.shown.width, source.shown.height)
    let needs = asked.map { min($0, whole.longerSide) }
    if variant.isOriginal { return original(variant, needs, whole) }
    let found =
      (variant.files.isEmpty ? ["there is no file"] : [])
      + variant.files.flatMap { problems($0, variant) }
    guard variant.fallback != "service-limit" else {
      let canBe = needs.contains { best(of: $0, whole) == nil }
      return found + (canBe ? [] : ["\(variant.width) is smaller without need"])
    }
    let isLarge = needs.allSatisfy { max(variant.width, variant.height) >= $0 }
    return found + (isLarge ? [] : ["\(variant.width)x\(variant.height) is too small"])
      + missing(variant)
  }

  private func problems(_ file: CatalogVariant.File, _ variant: CatalogVariant) -> [String] {
    guard let url = file.url else { return ["there is no URL"] }
    do {
      let made = try service.make(source, by: url)
      // The shorter side is rounded by the service.
      let isSize =
        variant.width >= variant.height
        ? made.width == variant.width && abs(made.height - variant.height) <= 1
        : made.height == variant.height && abs(made.width - variant.width) <= 1
      let frames = isMoving ? source.frames : 1
      return [
        isSize ? nil : "\(made) is not \(variant.width)x\(variant.height): \(url)",
        "image/\(made.format)" == file.type ? nil : "\(made.format) is not \(file.type): \(url)",
        made.frames >= frames ? nil : "frames are dropped: \(url)",
        made.hasAlpha == source.hasAlpha ? nil : "the alpha is lost: \(url)",
      ].compactMap(\.self)
    } catch { return ["\(error): \(url)"] }
  }

  /// The format in which the service makes an image of this length; nil if it does in none.
  private func best(of length: Int, _ whole: Size) -> String? {
    let others = (source.hasAlpha ? [] : ["jpeg"]) + ["png"]
    let candidates = isMoving ? ["webp"] : formats + others
    guard service.rejection(of: source) == nil,
      !isMoving || service.frames(of: source) == source.frames
    else { return nil }
    let (width, height) = scaled(whole, to: length)
    return candidates.first { service.holds(width, height, in: $0) }
  }

  private func scaled(_ whole: Size, to length: Int) -> (width: Int, height: Int) {
    let scale = Double(length) / Double(whole.longerSide)
    func side(_ side: Int) -> Int { max(1, Int((Double(side) * scale).rounded())) }
    return (side(whole.width), side(whole.height))
  }

  private func original(_ variant: CatalogVariant, _ needs: [Int], _ whole: Size) -> [String] {
    // Next makes no image that is wider than the widest of its widths.
    let isWide = service.name == "next" && whole.width > 3840
    let isNeeded = isWide || needs.contains { best(of: $0, whole) == nil }
    let isWhole =
      variant.files == [
        .init(
          format: nil, url: "https://images.example/a", type: "image/\(source.format)",
          bytes: source.bytes)
      ] && (variant.width, variant.height) == source.shown
    return [
      isNeeded ? nil : "the source is shown without need", isWhole ? nil : "it is not the source",
    ].compactMap(\.self)
  }

  /// Formats that the pipeline wants, that the service makes at this size, and that the variant lacks.
  private func missing(_ variant: CatalogVariant) -> [String] {
    let there = variant.files.map(\.type)
    guard !isMoving else { return [] }
    return formats.filter { format in
      service.holds(variant.width, variant.height, in: format)
        && !there.contains("image/\(format)")
    }.map { "\($0) is left out at \(variant.width)x\(variant.height)" }
  }
}

extension CatalogVariant {
  /// Whether it is the source itself.
  var isOriginal: Bool { files.contains { $0.format == nil } }
}
