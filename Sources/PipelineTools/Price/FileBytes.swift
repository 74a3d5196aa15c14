internal import TesseraCatalog
internal import TesseraPipeline
internal import TesseraPlan

/// What the files of an image say about estimates of other files of it: drawings take far less than photographs, noise takes
/// more.
enum FileBytes {
  /// Files of a few hundred bytes say nothing about large ones.
  private static let range = 1.0 / 50...50

  /// How many times the estimated bytes the files of a line of the catalog have that are in the preferred format; nil without
  /// such a file.
  static func factor(
    _ line: ArraySlice<UInt8>, _ formats: [CatalogFormat], of source: PlanSource,
    _ settings: PlanSettings
  ) -> Double? {
    guard let files = ReusedLine(line, formats)?.files,
      let format = settings.preferredFormat(of: source)
    else { return nil }
    var (bytes, estimate) = (0.0, 0.0)
    for file in files {
      guard let form = FileName.parts(of: file.path), form.fileExtension == format.fileExtension
      else { continue }
      bytes += Double(file.bytes)
      estimate += settings.estimatedBytes(Size(form.width, form.height), format, of: source)
    }
    guard bytes > 0, estimate > 0 else { return nil }
    return min(max(bytes / estimate, range.lowerBound), range.upperBound)
  }
}
