package import TesseraManifest

/// How far a run goes.
package enum RunExtent: Sendable {
  case everything
  /// Sizes only, from the first bytes of each source; nothing is decoded.
  case layout
}

/// What a run takes from the command line and not from the pipeline file.
package struct RunOptions: Sendable {
  /// The path of `tessera-worker`.
  package var workerPath: String
  /// How long the run may fetch and decode. What is not done by then fails, or stays stale, and is in
  /// the catalog with the rest.
  package var deadline: Duration?
  /// Whether only items that failed, are stale or are new are requested (`--retry-failed`).
  package var onlyFailed = false
  /// Whether the manifest may have lost any number of items (`--allow-shrink`).
  package var allowsShrink = false
  /// Whether any number of images may fail, and those that the catalog shows be lost (`--allow-loss`).
  package var allowsLoss = false
  /// Whether the catalog of another pipeline may be replaced (`--take-over`).
  package var takesOver = false

  /// The images that the run is for; nil for all.
  package var selection: RunSelection?

  /// Ends the run early.
  package var stop = RunStop()

  /// The part of the manifest that this run processes; nil for all of it.
  package var shard: Shard?

  /// The part as it is written.
  package var shardName: String? { shard?.description }

  /// A shard as it is written: `3/8`. Nil for another text.
  package static func shard(_ text: String) -> Shard? { Shard(text) }

  package init(workerPath: String) { self.workerPath = workerPath }
}
