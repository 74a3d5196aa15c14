/// What is counted of an output as a whole: the one declaration that the history of runs, `tessera status --json` and the
/// metrics are made of. A figure is nil if it is not known.
package struct OutputFigures: Sendable, Equatable, Encodable {
  /// The files of images that the state records, and their bytes.
  package var files: Int?
  package var fileBytes: Int?
  /// The state on its disk, with its log.
  package var stateBytes: Int?
  /// What is left for this user on the output's file system; nil for an object store.
  package var freeBytes: Int?
  /// Earlier catalogs that `rollback` can go back to.
  package var keptCatalogs: Int?
  /// The files that `prune` would delete now, and their bytes.
  package var prunableFiles: Int?
  package var prunableBytes: Int?
  /// How long ago the server last confirmed the source of a stale image that is not gone, of the one where it is longest;
  /// nil without any.
  package var oldestStaleSeconds: Int?
  /// How long such an image stays stale before it fails: the pipeline's `keep-stale`.
  package var keepStaleSeconds: Int?
  /// By how many bytes files and state grow in a day; nil if there is too little data. May be negative.
  package var bytesPerDay: Int?
  /// Until the disk is full at this growth; nil if it is not known, or far away.
  package var secondsToFull: Int?

  package init() {}

  /// One figure, as each document names it.
  package struct Declaration {
    /// In JSON.
    package let member: String
    package let metric: String
    package let help: String
    package let place: WritableKeyPath<OutputFigures, Int?>
  }

  package static var all: [Declaration] {
    [
      Declaration(
        member: "files", metric: "tessera_output_files",
        help: "Files of images that the state records.", place: \.files),
      Declaration(
        member: "fileBytes", metric: "tessera_output_file_bytes", help: "Bytes of these files.",
        place: \.fileBytes),
      Declaration(
        member: "stateBytes", metric: "tessera_output_state_bytes", help: "Bytes of the state.",
        place: \.stateBytes),
      Declaration(
        member: "freeBytes", metric: "tessera_output_free_bytes",
        help: "Bytes left on the file system of the output.", place: \.freeBytes),
      Declaration(
        member: "keptCatalogs", metric: "tessera_output_kept_catalogs",
        help: "Earlier catalogs that are kept.", place: \.keptCatalogs),
      Declaration(
        member: "prunableFiles", metric: "tessera_output_prunable_files",
        help: "Files that prune would delete now.", place: \.prunableFiles),
      Declaration(
        member: "prunableBytes", metric: "tessera_output_prunable_bytes",
        help: "Bytes of the files that prune would delete now.", place: \.prunableBytes),
      Declaration(
        member: "oldestStaleSeconds", metric: "tessera_output_oldest_stale_seconds",
        help: "How long ago the oldest stale image was last confirmed.", place: \.oldestStaleSeconds
      ),
      Declaration(
        member: "keepStaleSeconds", metric: "tessera_output_keep_stale_seconds",
        help: "How long a stale image is shown before it fails (keep-stale).",
        place: \.keepStaleSeconds),
      Declaration(
        member: "bytesPerDay", metric: "tessera_output_growth_bytes_per_day",
        help: "By how much files and state grow in a day.", place: \.bytesPerDay),
      Declaration(
        member: "secondsToFull", metric: "tessera_output_full_seconds",
        help: "Until the disk is full at this growth.", place: \.secondsToFull),
    ]
  }

  /// Computes the growth, and when the disk is full.
  ///
  /// - Parameters:
  ///   - sizes: of files and state over time.
  ///   - now: in seconds since 1970.
  package mutating func foresee(_ sizes: [DiskForecast.Point], now: Double) {
    let growth = DiskForecast.growth(sizes, now: now)
    bytesPerDay = growth.map { Int($0 * 86_400) }
    secondsToFull = growth.flatMap { growth in
      freeBytes.flatMap { DiskForecast.timeToFull(growth: growth, free: $0) }
    }.map { Int($0) }
  }

  /// Those that are known, in the order of the declaration.
  package var known: [(declaration: Declaration, value: Int)] {
    Self.all.compactMap { declaration in self[keyPath: declaration.place].map { (declaration, $0) }
    }
  }
}
