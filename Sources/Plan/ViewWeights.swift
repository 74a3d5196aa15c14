/// How often an image is viewed in each slot at each scale, relative to other views.
package struct ViewWeights: Sendable, Equatable {
  /// By slot, then by scale, in the order of the settings.
  package var values: [Double]

  /// As the pipeline file says.
  package init(_ settings: PlanSettings) {
    values = settings.slots.flatMap { slot in
      settings.scales.map { settings.weight(of: slot.name, scale: $0) }
    }
  }

  /// This many times as often.
  package func times(_ factor: Double) -> ViewWeights {
    var weights = self
    weights.values = values.map { $0 * factor }
    return weights
  }

  /// As often as files were requested. One that serves several places was requested for each as often as the weights of the
  /// places say.
  ///
  /// - Parameters:
  ///   - requests: for each file, how often.
  ///   - uses: for each slot by its name, the file for each scale.
  package init(_ requests: [Int], _ uses: [String: [Int]], _ settings: PlanSettings) {
    let weights = Self(settings).values
    let files = Self.files(uses, requests.count, settings)
    let sums = Self.sums(weights, of: files, requests.count)
    values = zip(files, weights).map { file, weight in
      file.map { Double(requests[$0]) * weight / sums[$0] } ?? 0
    }
  }

  /// How often each of some files is viewed, by the weights of the places that it serves.
  ///
  /// - Parameter uses: for each slot by its name, the file for each scale.
  static func ofFiles(
    _ count: Int, _ uses: [String: [Int]], _ settings: PlanSettings
  ) -> [Double] {
    sums(Self(settings).values, of: files(uses, count, settings), count)
  }

  /// The file that serves each place; nil for none.
  private static func files(
    _ uses: [String: [Int]], _ fileCount: Int, _ settings: PlanSettings
  ) -> [Int?] {
    settings.slots.flatMap { slot -> [Int?] in
      // Lines of a pipeline with other scales say nothing of these.
      guard let indices = uses[slot.name], indices.count == settings.scales.count else {
        return settings.scales.map { _ in nil }
      }
      return indices.map { (0..<fileCount).contains($0) ? $0 : nil }
    }
  }

  private static func sums(_ weights: [Double], of files: [Int?], _ count: Int) -> [Double] {
    var sums = [Double](repeating: 0, count: count)
    for (file, weight) in zip(files, weights) { if let file { sums[file] += weight } }
    return sums
  }
}
