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

  /// As often as files were requested. One that serves several places was requested for each as often as the weights of the
  /// places say.
  ///
  /// - Parameters:
  ///   - requests: for each file, how often.
  ///   - uses: for each slot by its name, the file for each scale.
  package init(
    _ requests: [Int], _ uses: [String: [Int]], _ settings: PlanSettings
  ) {
    let weights = Self(settings).values
    let count = settings.scales.count
    var files = [Int?](repeating: nil, count: weights.count)
    for (place, slot) in settings.slots.enumerated() {
      // Lines of a pipeline with other scales say nothing of these.
      guard let indices = uses[slot.name], indices.count == count else { continue }
      for (scale, index) in indices.enumerated() where requests.indices.contains(index) {
        files[place * count + scale] = index
      }
    }
    var sums = [Double](repeating: 0, count: requests.count)
    for (file, weight) in zip(files, weights) { if let file { sums[file] += weight } }
    values = zip(files, weights).map { file, weight in
      file.map { Double(requests[$0]) * weight / sums[$0] } ?? 0
    }
  }
}
