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
    lines.append("  \(Self.text(expected))")
    if dependsOnOrigins {
      lines.append("  if all sources have changed and what failed succeeds: \(Self.text(most))")
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

  /// `12 requests, 34 files made (about 1.2 MB), about 3.2 s`
  private static func text(_ work: Work) -> String {
    let bytes = work.bytes > 0 ? " (about \(Amount.bytes(work.bytes)))" : ""
    let time = work.seconds.map {
      $0 < 1 ? ", under a second" : ", about \(Amount.seconds($0))"
    }
    return
      "\(Amount.count(work.requests, "request")), \(Amount.count(work.files, "file")) made\(bytes)\(time ?? "")"
  }
}
