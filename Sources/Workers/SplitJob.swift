internal import TesseraPlan
internal import TesseraSystem

/// A job as several that workers do side by side, each with some of its files. Their bytes stay the
/// same: no file depends on the others of its job.
struct SplitJob {
  private let whole: TranscodeJob
  /// The positions of each part's files in the whole job; one part if more would not be faster.
  private var parts: [[Int]] = []

  /// In pixels: less than about 10 ms of work is not worth a second decode.
  private static let leastWork = 250_000.0

  /// - Parameter workers: how many are free.
  init(_ job: TranscodeJob, among workers: Int) {
    whole = job
    var work: [Double] = []
    // The largest first, each to the part with the least work.
    for index in job.files.indices.sorted(by: { job.work(on: $0) > job.work(on: $1) }) {
      let added = job.work(on: index)
      if parts.count < workers, parts.isEmpty || added >= Self.leastWork {
        parts.append([index])
        work.append(added)
      } else if let part = work.indices.min(by: { work[$0] < work[$1] }) {
        parts[part].append(index)
        work[part] += added
      }
    }
    // Each part would search for the quality again.
    let isSearched = job.files.contains { $0.encoding.isUnresolved }
    if parts.count < 2 || isSearched { parts = [Array(job.files.indices)] }
  }

  var jobs: [TranscodeJob] {
    parts.enumerated().map { part, files in
      var job = whole
      job.files = files.map { whole.files[$0] }
      // The first part makes them for all.
      if part > 0 { job.placeholders = [] }
      return job
    }
  }

  /// The answer to the whole job; that of a part that made no files, if there is one.
  func joined(_ answers: [TranscodeAnswer]) -> TranscodeAnswer {
    var made: [MadeFiles] = []
    for answer in answers {
      guard case .made(let files) = answer else { return answer }
      made.append(files)
    }
    var result = made[0].result
    var places = whole.files.map { _ in (part: 0, index: 0) }
    for (part, files) in parts.enumerated() {
      for (index, file) in files.enumerated() { places[file] = (part, index) }
      result.warnings += made[part].result.warnings.filter { !result.warnings.contains($0) }
    }
    result.lengths = places.map { made[$0.part].result.lengths[$0.index] }
    return .made(
      MadeFiles(result) { [made, places] index throws(SystemError) in
        try made[places[index].part].bytes(of: places[index].index)
      })
  }
}

extension TranscodeJob {
  /// The work of it all, in pixels to encode as WebP. Decoding ten pixels takes about as long as
  /// encoding one.
  var work: Double {
    files.indices.reduce(pixels(of: expected.size) * Double(expected.frames) / 10) {
      $0 + work(on: $1)
    }
  }

  /// Metadata may be compressed in the source: nothing is known of its size.
  var isSmall: Bool {
    let made = files.indices.reduce(0) { $0 + work(on: $1) }
    return made <= Double(JobFiles.mostBytes)
      && !files.contains { $0.encoding.keepsMetadata }
  }

  fileprivate func work(on index: Int) -> Double {
    pixels(of: files[index].size)
      * (files[index].encoding.isAnimated ? Double(expected.frames) : 1)
  }

  private func pixels(of size: Size) -> Double { Double(size.width) * Double(size.height) }
}
