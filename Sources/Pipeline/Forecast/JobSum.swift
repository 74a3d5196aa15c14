/// The jobs of many sources together.
struct JobSum: Sendable {
  private var sum = JobSize(source: 0, files: 0, bytes: 0)
  private var (jobs, files) = (0, 0)

  mutating func add(_ job: JobSize, files: Int) {
    sum.source += job.source
    sum.files += job.files
    sum.bytes += job.bytes
    sum.encoders.formUnion(job.encoders)
    jobs += 1
    self.files += files
  }

  /// The job of one source with a number of files; nil without jobs that have files.
  func mean(files wanted: Double) -> JobSize? {
    guard files > 0 else { return nil }
    var mean = sum
    mean.source /= Double(jobs)
    mean.files *= wanted / Double(files)
    mean.bytes *= wanted / Double(files)
    return mean
  }
}

extension JobSize {
  /// The work of so many jobs.
  mutating func multiply(by count: Double) {
    source *= count
    files *= count
    bytes *= count
  }
}
