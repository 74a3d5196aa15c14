enum StatusCommand: Command {
  static let name = "status"
  static let summary = "the last runs, what fails, what is kept and why, and how the output grows"

  private static let runs = Option.number(
    "--runs", "how many of the last runs are listed; default 5", in: 1...10_000)

  static let syntax = Syntax(
    [OutputOptions.operand],
    text: """
      Prints what a person on call wants to know of an output: the last runs, the images that failed or
      are stale, by error and by host, what keeps files from prune and what prune would delete, the sizes
      of files and state, and when the disk is full if they go on growing. It takes no lock and changes
      nothing, also while a run is at work.
      """,
    options: [runs, OutputOptions.state],
    example: Example(
      "tessera status build/feed", "What happened to the output, and what to do about it."),
    statuses: [
      ExitMeaning(.done, "printed, whatever the last runs came to"),
      ExitMeaning(
        .someFailed,
        "printed, but the catalog, the state or a part of it is missing, damaged or can't be read"),
      ExitMeaning(.failed, "no run has left anything there, or it can't be read"),
    ])

  static func run(_ arguments: Arguments) async throws -> ExitStatus {
    let output = try OutputOptions.output(arguments, of: Self.self)
    let status = try await OutputStatus.read(
      output.root, state: output.state, store: output.store)
    let count = try arguments.value(runs) ?? 5
    if arguments.has(CommonFlag.json) {
      Console.write(status.json(runs: count))
    } else {
      for line in StatusText(status, runs: count).lines { Console.line(line) }
    }
    return status.problems.isEmpty ? .done : .someFailed
  }
}

/// The status of an output in words.
struct StatusText {
  private let status: OutputStatus
  private let runs: Int

  /// Hosts and codes that are listed.
  private static let listed = 5

  init(_ status: OutputStatus, runs: Int) { (self.status, self.runs) = (status, runs) }

  var lines: [String] {
    present + rollback + status.problems.map { "problem: \($0)" } + history + failures + kept
      + prune + sizes
  }

  // MARK: Runs

  private var present: [String] {
    if let holder = status.holder {
      var line = "in progress: \(holder) is at work on it"
      if let since = status.busySince, let time = status.busyTime {
        line += " since \(time) (\(Amount.age(max(0, status.now - since))))"
      }
      if let done = status.imagesDone { line += "; \(Amount.count(done, "image")) done" }
      return [line + "; this is what is saved so far"]
    }
    guard status.wasKilled else { return [] }
    return [
      "the last run was killed before its end, or could not write of it on a full disk, and left no entry below; the "
        + "next one resumes its work"
    ]
  }

  private var rollback: [String] {
    status.rollbackTime.map {
      [
        "the current catalog is an earlier one, since the rollback of \($0); the next run writes the catalog of the "
          + "manifest again: stop its timer, or comment out its line of cron, until the cause is repaired"
      ]
    } ?? []
  }

  private var history: [String] {
    guard !status.runs.isEmpty else {
      return ["runs: none is recorded; the next run begins the history"]
    }
    let heading = [
      "ended", "took", "what", "result", "ok", "stale", "failed", "new failures", "solved",
      "requests", "fetched", "made",
    ]
    let rows = status.runs.prefix(runs).map { run in
      [run.time, Amount.seconds(run.seconds), run.name, run.result]
        + ["ok", "stale", "failed"].map { run.count($0).map(String.init) ?? "" }
        + [run.newFailures, run.solvedFailures, run.requests].map { $0.map(String.init) ?? "" }
        + [run.fetchedBytes.map(Amount.bytes) ?? "", made(run)]
    }
    return TextTable.lines(heading, Array(rows)) + [summary] + lastSuccess
  }

  private var summary: String {
    let sum = status.summary
    let reach =
      sum.sinceTime.map { "since \($0), when the history begins" }
      ?? "\(HistorySummary.days) days"
    return
      "\(reach): \(Amount.count(sum.runs, "run")), \(sum.failed) failed, \(sum.stopped) stopped; "
      + "\(Amount.count(sum.requests, "request")), \(Amount.bytes(sum.fetchedBytes)) fetched, "
      + "\(Amount.count(sum.encodes, "file")) made"
  }

  private func made(_ run: RecordedRun) -> String {
    if let deleted = run.deletedBytes { return "\(Amount.bytes(deleted)) deleted" }
    if let deleted = run.deletedFiles { return "\(Amount.count(deleted, "file")) deleted" }
    return run.encodes.map {
      "\(Amount.count($0, "file")), \(Amount.bytes(run.writtenBytes ?? 0))"
    } ?? ""
  }

  /// Only if the last run had none: how old the catalog is.
  private var lastSuccess: [String] {
    let all = status.runs.filter(\.isRun)
    guard let last = all.first, !last.isSuccess else { return [] }
    guard let success = all.first(where: \.isSuccess) else {
      return ["no run of these came to a result"]
    }
    return [
      "the last run that came to a result ended \(Amount.age(status.now - success.ended)) ago"
    ]
  }

  // MARK: Failures

  private var failures: [String] {
    let census = status.failures
    guard census.failed + census.stale > 0 else {
      return (status.hasState && status.problems.isEmpty ? ["failures: none"] : []) + bans
    }
    var lines = ["failures: \(census.failed) failed, \(census.stale) stale\(observer)"]
    if let age = status.ageOfOldestStale {
      lines[0] += "; the oldest stale image was last confirmed \(Amount.age(Double(age))) ago"
      if let end = status.staleEnd, let keep = status.keepStale {
        lines[0] +=
          ", and fails if it is not confirmed by \(end) (keep-stale: \(Amount.age(Double(keep))))"
      }
    }
    if !observer.isEmpty { lines += catalog }
    lines += list(census.byCode, "by error", http: "")
    lines += list(
      census.byHost, census.isApproximate ? "by host (at least)" : "by host", http: "http-status ")
    if census.withoutHost > 0 {
      lines.append("    \(census.withoutHost) of no host, or of one that is not recorded")
    }
    return lines + bans + [
      "  tessera why \(ShellWords.operands([status.output])) ID says what happened to one, and what to do"
    ]
  }

  /// Whose results these are, if they are not those of the catalog: a clause.
  private var observer: String {
    if status.wasKilled { return ", as the run that was killed left them" }
    return status.runWithoutCatalog.map {
      ", as the run that \($0.isStopped ? "was stopped" : "failed") at \($0.time) saw them"
    } ?? ""
  }

  private var catalog: [String] {
    guard let run = status.catalogRun else { return [] }
    let counts = ["ok", "stale", "failed", "pending"].compactMap { name in
      run.count(name).map { "\($0) \(name)" }
    }
    let others = run.others.map { ["\($0) as before"] } ?? []
    return ["  the catalog of \(run.time) stands: \((counts + others).joined(separator: ", "))"]
  }

  /// What the last run says of them, and what to do.
  private var bans: [String] {
    let lines = status.banNotes.prefix(Self.listed).map { "  banned: \($0)" }
    let rest = status.banNotes.count - lines.count
    return lines + (rest > 0 ? ["  and \(Amount.count(rest, "host")) more; --json lists them"] : [])
  }

  /// - Parameter http: what comes before an HTTP status.
  private func list(
    _ groups: [FailureCensus.Group], _ title: String, http: String
  ) -> [String] {
    guard !groups.isEmpty else { return [] }
    var lines = ["  \(title):"]
    for group in groups.prefix(Self.listed) {
      let more = group.count > group.ids.count ? " …" : ""
      let end =
        group.oldestStale.flatMap(status.staleEnd).map { ", the oldest stale one until \($0)" }
        ?? ""
      lines.append(
        "    \(group.count) \(group.name)\(statuses(of: group, http))\(end): "
          + "\(group.ids.joined(separator: ", "))\(more)")
    }
    if groups.count > Self.listed {
      let rest = groups.dropFirst(Self.listed).reduce(0) { $0 + $1.count }
      lines.append("    \(rest) of \(groups.count - Self.listed) others; --json lists more of them")
    }
    return lines
  }

  /// ` (403)`, or ` (403 480 times, 429 20 times)`; empty without any.
  private func statuses(of group: FailureCensus.Group, _ http: String) -> String {
    let statuses = group.statuses
    guard let first = statuses.first else { return "" }
    if first.count == group.count { return " (\(http)\(first.status))" }
    let parts = statuses.prefix(3).map { "\($0.status) \(Amount.count($0.count, "time"))" }
    return " (\(http)\(parts.joined(separator: ", ")))"
  }

  // MARK: What is kept

  private var kept: [String] {
    let kept = status.kept
    var lines = ["kept from prune, with all files that they name:"]
    if let current = kept.current {
      lines.append(
        "  \(current.name), the current catalog"
          + (current.images.map { ": \(Amount.count($0, "image"))" } ?? ""))
    }
    for entry in kept.catalogs {
      let images = entry.images.map { ", \(Amount.count($0, "image"))" } ?? ""
      let end = entry.until.map { ", until \($0) at the latest" } ?? ""
      lines.append(
        "  the catalog that was replaced at \(entry.time)\(images)\(end): tessera rollback "
          + "--to \(entry.number) \(ShellWords.operands([status.output]))")
    }
    if let limit = kept.limit, !kept.catalogs.isEmpty {
      lines.append(
        "  keep-catalogs keeps \(limit.count) of them, each for \(Amount.age(limit.age))")
    }
    if kept.screens > 0 { lines.append("  \(Amount.count(kept.screens, "screen"))") }
    if kept.changes > 0 {
      lines.append("  \(Amount.count(kept.changes, "document")) of changes from the last catalogs")
    }
    if kept.shards > 0 {
      lines.append("  \(Amount.count(kept.shards, "result")) of shards, for the next merge")
    }
    return lines.count > 1
      ? lines : ["no catalog has been written; a run that comes to a result writes it"]
  }

  private var prune: [String] {
    guard status.hasState, status.problems.isEmpty else { return [] }
    let (deletable, waiting) = (status.prunableNow, status.prunableLater)
    var lines: [String] = []
    if deletable.count > 0 {
      lines.append(
        "prune would delete \(Amount.count(deletable.count, "file")) "
          + "(\(Amount.bytes(deletable.bytes))), which nothing has named for a week: "
          + "tessera prune \(ShellWords.operands([status.output]))")
    }
    if waiting.count > 0 {
      lines.append(
        "\(Amount.count(waiting.count, "file")) (\(Amount.bytes(waiting.bytes))) wait for prune"
          + (status.nextPrunable.map { ", the first until \($0)" } ?? ""))
    }
    guard lines.isEmpty else { return lines }
    return [
      status.runs.first(where: \.isPrune).map {
        "prune has nothing to delete, as of \($0.time)"
      }
        ?? "prune has not looked for files that nothing names: tessera prune \(ShellWords.operands([status.output]))"
    ]
  }

  // MARK: Sizes

  private var sizes: [String] {
    var parts: [String] = []
    if let files = status.recorded {
      parts.append("\(Amount.count(files.count, "file")) with \(Amount.bytes(files.bytes))")
    }
    if let state = status.stateSize { parts.append("a state of \(Amount.bytes(state))") }
    if let free = status.freeSpace { parts.append("\(Amount.bytes(free)) free on the disk") }
    var lines = parts.isEmpty ? [] : ["sizes: \(parts.joined(separator: ", "))"]
    guard let growth = status.growth else { return lines }
    var line =
      growth > 0 ? "growth: \(Amount.bytes(growth)) a day" : "growth: none in the last 30 days"
    if let seconds = status.timeToFull {
      line += "; the disk is full in \(Amount.age(Double(seconds))) if it goes on like this"
    }
    lines.append(line)
    return lines
  }
}
