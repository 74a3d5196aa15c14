// For the progress.
extension FetchLoop {
  /// The requests in flight. There are no more of them than `concurrency`.
  var inFlight: FetchesInFlight {
    var requests = FetchesInFlight()
    for (transfer, job) in running.values {
      requests.add(job, host: job.host, bytes: transfer.received)
    }
    for job in reading.values { requests.add(job, host: "", bytes: 0) }
    return requests
  }
}
