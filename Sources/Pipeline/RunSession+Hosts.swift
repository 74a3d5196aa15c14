internal import TesseraFetch
internal import TesseraPipelineFile
internal import TesseraText

/// What a run says of the hosts that it has sent requests to.
extension RunSession {
  /// Does the work of a run, and says which hosts ban it if the run stops because of what failed: it then has no report.
  func warningOfBans<Value>(
    _ fetcher: any Fetching, _ work: () async throws -> Value
  ) async throws -> Value {
    do {
      return try await work()
    } catch  where !(error is CancellationError) && !isPublished {
      for ban in fetcher.counts.hosts.bans { meter.warn("\(ban.clause); \(ban.remedy)") }
      throw error
    }
  }

  func noteNetwork(_ counts: FetchStatistics) {
    recorder.update { report in
      report.requests = counts.requests
      report.notModified = counts.notModified
      report.bytesFetched = counts.bytes
    }
  }

  func noteHosts(_ hosts: HostTally) {
    recorder.update { report in
      report.bans = hosts.bans
      report.showsHosts = file.urls == .shown
    }
    // A report is public, and hosts are not to be.
    if file.urls == .shown {
      for clause in hosts.otherPorts(file.fetch.hosts, file.fetch.headers) { meter.warn(clause) }
    }
    // Only of requests to servers that others run: one's own need no contact.
    if hosts.hasPublicHost, let gap = UserAgent.gap(in: file.fetch.userAgent) {
      meter.warn(gap.clause)
    }
  }
}
