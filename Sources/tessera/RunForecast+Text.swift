internal import TesseraConsole
internal import TesseraPipeline

extension RunForecast {
  /// What `plan` prints about the next run.
  var text: String { lines.map { $0 + "\n" }.joined() }

  private var lines: [String] {
    var lines = ["next run: \(Amount.count(images, "image"))" + Self.list(whatBecomesOfImages)]
    if !kinds.isEmpty { lines.append("  of these \(kinds.joined(separator: ", "))") }
    if !others.isEmpty { lines.append("  besides \(others.joined(separator: ", "))") }
    if problems > 0 {
      lines.append("  \(Amount.count(problems, "line")) of the manifest can't be used")
    }
    if let stop { lines.append("  this run would stop: \(stop)") }
    lines += [
      "  \(Self.range(expected.requests, most.requests) { Amount.count($0, "request") }), about "
        + Self.range(expected.bytesFetched, most.bytesFetched) { Amount.bytes(Int($0)) }
        + " fetched",
      "  \(Self.range(expected.files, most.files) { Amount.count($0, "file") }) made, about "
        + Self.range(expected.bytesWritten, most.bytesWritten) { Amount.bytes(Int($0)) },
      "  \(Self.time(expected.jobSeconds, most.jobSeconds)) of workers"
        + (unmeasured.isEmpty
          ? "" : " (not measured here yet: \(unmeasured.joined(separator: ", ")))")
        + ", \(Self.time(expected.seconds, most.seconds)) in all",
    ]
    if dependsOnOrigins {
      lines.append(
        "  the first numbers if every origin answers as the last time, the others if all has changed"
      )
    }
    if dropped.count > 0 {
      lines.append(
        "  \(Amount.count(dropped.count, "file")) (\(Amount.bytes(dropped.bytes))) of the current catalog no longer "
          + "named; prune deletes them after its grace period")
    }
    lines.append("  \(Amount.count(disk.count, "file")), \(Amount.bytes(disk.bytes)), on disk now")
    return lines + shortages
  }

  /// What the output's disk lacks.
  private var shortages: [String] {
    guard let room else { return [] }
    var lines: [String] = []
    if isDiskShort.bytes {
      lines.append(
        "  the output's disk has only \(Amount.bytes(room.bytes)) free, less than the files may need: free space on "
          + "it, for example with prune")
    }
    if isDiskShort.inodes, let inodes = room.inodes {
      lines.append(
        "  the output's disk has only \(Amount.count(inodes, "inode")) free, and each file needs one"
      )
    }
    return lines
  }

  /// Each image counts once.
  private var whatBecomesOfImages: [String] {
    Self.counts([
      (fresh, "fresh"), (revalidated, "to be revalidated"), (fetched, "to be fetched"),
      (copied, "made of kept copies"),
    ])
  }

  /// Images that are counted above as well.
  private var kinds: [String] {
    Self.counts([
      (new, "new"), (changed, "changed in the manifest"), (retried, "tried again after a failure"),
    ])
  }

  /// Images that are not among the run's.
  private var others: [String] {
    Self.counts([
      (gone, "gone from the manifest"), (forgotten, "forgotten and left out"),
    ])
  }

  private static func counts(_ list: [(Int, String)]) -> [String] {
    list.compactMap { $0.0 > 0 ? "\($0.0) \($0.1)" : nil }
  }

  private static func list(_ parts: [String]) -> String {
    parts.isEmpty ? "" : ": " + parts.joined(separator: ", ")
  }

  /// `about 3.2 s to 9.0 s`; nothing is known to parts of a second.
  private static func time(_ low: Double, _ high: Double) -> String {
    guard high >= 1 else { return "under a second" }
    return low < 1
      ? "up to \(Amount.seconds(high))" : "about \(range(low, high) { Amount.seconds($0) })"
  }

  /// `12 requests`, `0 B to 3.4 MB`
  private static func range<Number>(
    _ low: Number, _ high: Number, _ text: (Number) -> String
  ) -> String {
    text(low) == text(high) ? text(low) : "\(text(low)) to \(text(high))"
  }
}
