/// Files, each of which is read on a thread of its own.
extension FetchLoop {
  func startReading(_ source: LocalSource, _ job: FetchJob, _ request: FetchRequest) {
    var job = job
    job.request = request
    let error = fileReads.start(job.identifier, source, request, into: job.receiver)
    if let error { return job.finish(.failure(error)) }
    reading[job.identifier] = job
    hosts.started(job.host, now: .now)
  }

  func collectReads() {
    for (identifier, result, bytes) in fileReads.takeFinished() {
      guard let job = reading.removeValue(forKey: identifier) else { continue }
      hosts.ended(job.host)
      job.finish(result, bytes: bytes)
    }
  }

  /// Ends a request whose file may still be read, perhaps forever.
  func giveUpReading(_ identifier: Int, _ error: FetchError) {
    guard let job = reading.removeValue(forKey: identifier) else { return }
    fileReads.giveUp(identifier)
    hosts.ended(job.host)
    job.finish(.failure(error))
  }

  func endOverdueReads(now: ContinuousClock.Instant) {
    for (identifier, job) in reading {
      let deadline = job.request.deadline
      guard let started = job.started, started.advanced(by: deadline) <= now else { continue }
      giveUpReading(identifier, FileReads.overdue(deadline))
    }
  }
}
