internal import TesseraPlan
internal import TesseraState

/// Estimates what jobs of workers cost from those of earlier runs.
///
/// Times are known by the format of the source and the encoders of the files. Where that is not, the closest others count, in
/// the proportion that ``JobSize`` has of the work.
struct JobCosts: Sendable {
  private let known: [CostKind: CostSums]
  private let all: CostSums
  private let measured: Set<String>

  /// Seconds for a megapixel of a source, and for the work of one in WebP: of a JPEG, on one core of a small server. Measured
  /// times replace them after the first run.
  private static let usual = (x: 0.012, y: 0.12)

  init(_ known: [CostKind: CostSums]) {
    var (all, measured) = (CostSums(), Set<String>())
    for case (.job(_, let encoders), let sums) in known {
      all += sums
      measured.formUnion(encoders)
    }
    (self.known, self.all, self.measured) = (known, all, measured)
  }

  /// - Parameter format: of the source; nil if that is not known.
  func work(_ job: JobSize, of format: String?) -> RunForecast.Work {
    let (sums, isAlike) = samples(job, format)
    let rates = isAlike ? sums.rates(usual: Self.usual) : sums.scaled(Self.usual)
    var work = RunForecast.Work()
    work.jobSeconds = rates.x * job.source + rates.y * job.files
    if !unmeasured(job.encoders).isEmpty { work.unmeasuredSeconds = work.jobSeconds }
    work.bytesWritten =
      sums.estimated > 0 ? job.bytes * sums.written / sums.estimated : job.bytes
    return work
  }

  func unmeasured(_ encoders: Set<String>) -> Set<String> { encoders.subtracting(measured) }

  /// Those closest to a job, and whether they are of the same encoders: only then two rates say more than one.
  private func samples(_ job: JobSize, _ format: String?) -> (CostSums, isAlike: Bool) {
    if let format, let sums = known[.job(format, encoders: job.encoders)] { return (sums, true) }
    let alike = sum { $1 == job.encoders }
    if alike.count > 0 { return (alike, true) }
    let ofFormat = sum { source, _ in source == format }
    return (ofFormat.count > 0 ? ofFormat : all, false)
  }

  private func sum(where isIncluded: (_ format: String, _ encoders: Set<String>) -> Bool)
    -> CostSums
  {
    var sum = CostSums()
    for case (.job(let format, let encoders), let sums) in known
    where isIncluded(format, encoders) {
      sum += sums
    }
    return sum
  }

  // MARK: Sources that are not known

  /// The job for one of them, of which this number of files is made.
  func usual(files: Double) -> JobSize {
    let count = max(1, all.count)
    let perFile = files / max(1, all.files)
    return JobSize(
      source: all.x / count, files: all.y * perFile, bytes: all.estimated * perFile)
  }

  /// Files of a source, as far as earlier runs say.
  var filesOfSource: Double { all.mean(\.files) ?? 0 }
}
