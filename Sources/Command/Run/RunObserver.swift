internal import Synchronization
internal import TesseraCatalog
internal import TesseraNet
internal import TesseraPipeline
internal import TesseraSystem
internal import TesseraText

/// Shows a run on standard error: its progress, its warnings, and the first failures of each kind.
final class RunObserver: RunObserving {
  private let display: ProgressDisplay
  private let failures = MessageCap(
    "further failures are not printed here; the catalog lists all of them")
  private let problems = MessageCap.manifestLines
  private let paused = PausedHost()
  /// What `allow` was found to lack. It is the same for all images of a host, and for all files outside its folders.
  private let rejections = Mutex<Set<[UInt8]>>([])
  private let progress = Mutex<(@Sendable () -> RunProgress)?>(nil)

  init(isQuiet: Bool, showsProgress: Bool) {
    display = ProgressDisplay(isQuiet: isQuiet, showsProgress: showsProgress)
  }

  func began(_ progress: @escaping @Sendable () -> RunProgress) {
    self.progress.withLock { $0 = progress }
    display.begin { [paused] in
      let run = progress()
      var shown = ProgressBar.Progress()
      (shown.done, shown.total, shown.bytes) = (run.done, run.total, run.bytes)
      shown.errors = run.errors
      shown.inFlight = run.bytesInFlight
      shown.oldest = run.oldest.map { ($0.host, $0.age) }
      shown.paused = paused.now
      shown.stages = [
        ("fetching", run.fetching), ("waiting to retry", run.pausing), ("waiting", run.waiting),
        ("transcoding", run.transcoding), ("upgraded", run.upgraded),
      ]
      return shown
    }
  }

  func happened(_ event: RunEvent) {
    switch event {
    case .item(let item):
      // What failed before is counted at the end.
      guard let problem = item.problem, item.failure != .known, !isRepeated(item.error) else {
        return
      }
      if let text = failures.text(for: "\(item.id): \(problem)") { display.message(text) }
    case .problem(let line, let message):
      if let text = problems.text(for: "manifest line \(line): \(message)") {
        display.message(text)
      }
    case .warning(let message): warn(message)
    case .hostSlowed(let host, let reason, let pause):
      paused.set(host, reason, pause)
    // The progress and the result say what came of it.
    case .workerReplaced: break
    }
  }

  /// Whether it rejects an image by `allow` as another one was rejected. The summary counts them.
  private func isRepeated(_ error: CatalogImage.Failure?) -> Bool {
    guard let error, error.code == FetchError.Code.addressRejected.rawValue else { return false }
    return rejections.withLock { rejections in
      // More are not printed.
      rejections.count < MessageCap.printed
        && !rejections.insert(Array(error.message.utf8)).inserted
    }
  }

  func warn(_ message: String) { display.message("warning: \(message)") }

  /// A first signal was received.
  func stopping() {
    display.message(
      "stopping: images that are being decoded are finished; a second signal (Ctrl-C) stops at once"
    )
  }

  /// A signal has ended the run.
  func stopped() {
    guard let progress = progress.withLock({ $0?() }) else { return finish() }
    finish()
    let images = progress.total.map { total in
      "\(progress.done) of \(progress.isTotalExact ? "" : "about ")\(Amount.count(total, "image"))"
    }
    let failed = progress.errors.values.reduce(0, +)
    display.message(
      (images ?? Amount.count(progress.done, "image")) + " done"
        + (failed > 0 ? ", \(failed) with an error" : "") + "; the rest is left to the next run")
  }

  /// Ends the progress.
  func finish() {
    display.finish()
    progress.withLock { $0 = nil }
  }
}

/// The host that was slowed last.
private final class PausedHost: Sendable {
  private let last = Mutex<(host: String, reason: String, end: ContinuousClock.Instant)?>(nil)

  func set(_ host: String, _ reason: String, _ pause: Duration) {
    last.withLock { $0 = (host, reason, .now + pause) }
  }

  /// Nil once it gets requests again.
  var now: (host: String, reason: String, left: Duration)? {
    let now = ContinuousClock.now
    return last.withLock(\.self).flatMap {
      $0.end > now ? ($0.host, $0.reason, now.duration(to: $0.end)) : nil
    }
  }
}

extension MessageCap {
  /// Lines of a manifest that can't be used.
  static var manifestLines: MessageCap {
    MessageCap("further lines are not printed here; tessera check lists all of them")
  }
}

/// The end of a run in words: what is there, what is new, what failed and why, where the time went, and what
/// to do next.
struct RunSummary {
  private let report: RunReport
  private let output: String
  private let again: [String]
  private let shard: String?

  /// The slowest images that are named.
  private static let named = 5
  /// From which on the cost of views is worth a line.
  static let notedExcess = 0.1
  /// Error codes that are listed.
  private static let listed = 10

  /// - Parameters:
  ///   - output: as commands name it.
  ///   - again: the words of the command that goes on with this output.
  ///   - shard: nil for a run of all items.
  init(_ report: RunReport, output: String, again: [String], shard: String?) {
    self.report = report
    self.output = output
    self.again = again
    self.shard = shard
  }

  var lines: [String] { images + changedFailures + failures + files + times + next }

  /// One line for a run in which nothing has happened; nil for any other.
  var line: String? {
    let isIdle =
      report.variantsMade + report.decodes + report.tablesMade + report.upgradedImages == 0
      && report.changes.keys.allSatisfy { $0 == .reused }
      && report.failures.keys.allSatisfy { $0 == .known }
      && report.before ?? report.total == report.total && report.others == nil && shard == nil
      && report.problemCount + report.notReached + report.forgotten + report.encodedURLs == 0
      && report.warnings.isEmpty && report.banNotes.isEmpty
      && !report.isIncomplete && !report.hasReplaced
    guard isIdle, let first = images.first else { return nil }
    let errors = report.errors.descending.map { "\($0.value) \($0.key)" }
    let known = errors.isEmpty ? [] : ["as before \(errors.joined(separator: ", "))"]
    let parts = known + hosts + [times.prefix(2).joined(separator: ", ")]
    return "\(first); nothing has changed: \(parts.joined(separator: "; "))"
  }

  private var images: [String] {
    // What a deadline left no time for says nothing about an image.
    let failed = report.count("failed") - report.notReached
    let counts = [
      (report.count("ok"), "ok"), (report.count("stale"), "stale"), (failed, "failed"),
      (report.notReached, "not reached"), (report.count("pending"), "pending"),
    ]
    let statuses = counts.compactMap { $0.0 > 0 ? "\($0.0) \($0.1)" : nil }
    let changes = ItemReport.Change.allCases.compactMap { change in
      report.changes[change].map { "\($0) \(change.rawValue)" }
    }
    var total = Amount.count(report.total, "image")
    if let before = report.before, before > report.total, shard == nil {
      total += ", \(before - report.total) fewer than in the last run"
    }
    if let others = report.others {
      total += "; \(Amount.count(others, "other image")) of the catalog left as they were"
    }
    if report.forgotten > 0 { total += ", \(report.forgotten) forgotten and left out" }
    let line =
      total + Self.list(statuses) + (changes.isEmpty ? "" : " (\(changes.joined(separator: ", ")))")
    // Who names an image expects that something happens to it.
    let isIdle =
      report.others != nil && report.total > 0 && report.requests == 0 && report.bytesFetched == 0
    return isIdle
      ? [
        line,
        "no source was requested, as none is due; with --refresh they are fetched and made again",
      ]
      : [line]
  }

  /// What is new about failures, and since when hosts have confirmed nothing.
  private var changedFailures: [String] {
    let counts = ItemReport.FailureChange.allCases.compactMap { change in
      report.failures[change].map { "\($0) \(change.rawValue)" }
    }
    guard !counts.isEmpty else { return hosts }
    let since = report.before == nil ? "" : " since the last run"
    return ["failures\(since): \(counts.joined(separator: ", "))"] + hosts
  }

  private var hosts: [String] {
    report.staleHosts.descending(by: \.images).prefix(Self.named).map { host, stale in
      let name = host.isEmpty ? "" : " of \(host)"
      return "\(Amount.count(stale.images, "image"))\(name) shown as before, last confirmed "
        + Host.timestamp(stale.confirmed)
    }
  }

  private static func list(_ parts: [String]) -> String {
    parts.isEmpty ? "" : ": " + parts.joined(separator: ", ")
  }

  /// One line for each reason, the most frequent first, with an example.
  private var failures: [String] {
    let reasons = report.reasons
    var lines = reasons.prefix(Self.listed).map { "  \($0)" }
    if reasons.count > Self.listed {
      lines.append("  and \(reasons.count - Self.listed) other reasons; run.json has all of them")
    }
    for ban in report.banNotes.prefix(Self.named) {
      lines += ["  \(ban.fault)", "    \(ban.remedy)"]
    }
    if report.problemCount > 0 {
      lines.append("\(Amount.count(report.problemCount, "line")) of the manifest could not be used")
    }
    if report.encodedURLs > 0 { lines.append(ListNotes.encoded(report.encodedURLs)) }
    return lines
  }

  private var files: [String] {
    if report.variantsDelivered > 0 {
      return ["\(Amount.count(report.variantsDelivered, "file")) of an image service"]
    }
    let sources =
      report.decodes > 0
      ? " from \(Amount.count(report.decodes, "image")) (\(Amount.bytes(report.sourceBytes)))" : ""
    var lines = [
      "\(Amount.count(report.variantsMade, "file")) made (\(Amount.bytes(report.bytesWritten)))\(sources), "
        + "\(report.variantsReused) reused"
    ]
    if report.variantsStanding > 0 {
      lines.append(
        "of the files made, \(report.variantsStanding) had names that other bytes have already; the first ones stand"
      )
    }
    if report.upgradedImages + report.upgradesWaiting > 0 {
      let waiting = report.upgradesWaiting > 0 ? "; \(report.upgradesWaiting) wait" : ""
      lines.append(
        "\(Amount.count(report.upgradedImages, "image")) got \(Amount.count(report.upgradedFiles, "file")) of the "
          + "better format (\(Amount.bytes(report.upgradedBytes)))\(waiting)")
    }
    if report.views.excess >= Self.notedExcess {
      lines.append(
        "rounded sizes cost visitors \(Amount.percent(report.views.excess)) more bytes; "
          + "tessera plan --fit 8 finds sizes that cost less")
    }
    return lines
  }

  private var times: [String] {
    let bytes = Amount.bytes(report.bytesFetched)
    let retries = report.retries > 0 ? ", \(Amount.count(report.retries, "retry", "retries"))" : ""
    var lines = [
      report.requests == 0 && report.bytesFetched > 0
        ? "\(bytes) read from files\(retries)"
        : "\(bytes) fetched in \(Amount.count(report.requests, "request"))\(retries)",
      Amount.seconds(report.seconds),
    ]
    if report.fetchSeconds + report.transcodeSeconds >= 0.05 {
      lines[1] +=
        ", in which requests took \(Amount.seconds(report.fetchSeconds)) and workers "
        + "\(Amount.seconds(report.transcodeSeconds)), several at a time"
    }
    let slowest = report.slowest.prefix(Self.named).filter { $0.ownSeconds >= 0.05 }.map { item in
      "\(item.id) \(Amount.seconds(item.ownSeconds))"
    }
    if report.decodes > 0, report.total > Self.named, !slowest.isEmpty {
      lines.append("slowest: \(slowest.joined(separator: ", "))")
    }
    return lines
  }

  /// What a person would do next, as commands.
  private var next: [String] {
    if let shard {
      return [
        "next: when all shards are done, tessera merge \(ShellWords.operands([output]))  # \(shard)"
      ]
    }
    let again = again.map(ShellWords.word).joined(separator: " ")
    let gallery = "tessera gallery \(ShellWords.operands([output]))"
    let first = report.examples.filter { $0.key != RunReport.deadlineCode }.values
      .min { $0.id < $1.id }
    if let first {
      return [
        "next: tessera why \(ShellWords.operands([output, first.id])), and when its cause is gone, "
          + "\(again) --retry-failed"
          + (report.count("ok") + report.count("stale") > 0 ? "; the others: \(gallery)" : "")
      ]
    }
    return [
      report.examples.isEmpty ? "next: \(gallery)" : "next: \(again), which goes on"
    ]
  }
}
