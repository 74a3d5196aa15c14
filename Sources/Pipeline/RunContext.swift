internal import TesseraNet
internal import TesseraOutput
internal import TesseraPipelineFile
internal import TesseraPlan
internal import TesseraState
internal import TesseraSystem
internal import TesseraWorkers

/// Everything that the steps of a run work with; each step takes what it needs. The effects are behind
/// seams (clock, fetcher, workers, output), so that a test can run all steps in memory.
struct RunContext: Sendable {
  let file: PipelineFile
  /// The number of this run.
  let run: Int
  let recorder: RunRecorder

  // Effects.

  let clock: WallClock
  let state: StateStore
  let fetcher: any Fetching
  let transcoder: any Transcoding
  let output: any Output
  let workspace: Workspace
  let copies: SourceCopies

  // Decisions.

  let names: FileNames
  let acceptance: Acceptance
  let verdicts: Verdicts
  let stale: StalePolicy
  let planner: FilePlanner
  let confirmer: SourceConfirmer
  let places: FinalURLs
  /// Images that lack files of a better format; nil without an upgrade, and in a run for sizes or failures only.
  let upgrades: UpgradeQueue?
  /// Lines that still apply; a run for sizes only has none.
  let standing: LineReuse?
  /// Chunks of the manifest that need nothing new; nil for a run that looks at each item.
  let chunks: ChunkReuse?
  /// The lines of the catalog, and which chunks of the last one they have.
  let lines: RunLines
  let claims: ChunkClaims

  // Who may work on what.

  let turns: SourceTurns
  /// One item at a time works on a content.
  let contents = KeyedQueue()

  /// - Parameters:
  ///   - onlyFailed: whether only items that failed, are stale or are new are requested
  ///     (`--retry-failed`).
  ///   - selection: the images that the run is for; nil for all.
  ///   - memory: what each worker of the transcoder has, in bytes.
  ///   - cache: sources that are kept for later runs; nil for none.
  init(
    _ file: PipelineFile, _ extent: RunExtent, run: Int, onlyFailed: Bool,
    selection: RunSelection? = nil, clock: WallClock,
    state: StateStore, fetcher: any Fetching, transcoder: any Transcoding, memory: Int,
    output: any Output, workspace: Workspace, cache: SourceCache?, recorder: RunRecorder,
    lines: RunLines, chunks: ChunkReuse? = nil
  ) {
    (self.file, self.run, self.recorder, self.clock) = (file, run, recorder, clock)
    self.state = state
    self.fetcher = fetcher
    self.transcoder = transcoder
    self.output = output
    self.workspace = workspace
    (self.lines, self.chunks, claims) = (lines, chunks, ChunkClaims(lines.parent.index))
    let libvips = transcoder.capabilities.libvips
    names = FileNames(file)
    let turns = SourceTurns()
    self.turns = turns
    acceptance = Acceptance(file)
    verdicts = Verdicts(
      freshness: FreshnessPolicy(
        revalidation: file.fetch.revalidation, run: run, onlyFailed: onlyFailed,
        refreshes: selection?.refreshes == true),
      rejections: RejectionPolicy(
        settings: Fingerprint.rejection(file, memory: memory, libvips: libvips),
        onlyFailed: onlyFailed || selection?.examinesRejected == true))
    confirmer = SourceConfirmer(freshness: verdicts.freshness, clock: clock)
    places = FinalURLs(ignoredQuery: file.fetch.ignoredQuery)
    stale = StalePolicy(
      keep: file.fetch.keepStale.inSeconds, keepLost: file.keepLost.inSeconds)
    planner = FilePlanner(
      settings: file.planOfFiles, names: names, placeholders: file.placeholders, state: state,
      output: output, upgraded: file.upgradedPlan)
    // Which images are worth most shows in a run of all.
    upgrades =
      extent == .layout || onlyFailed || selection != nil ? nil : UpgradeQueue(file)
    copies = SourceCopies(
      run: RunCopies(of: turns.queue, in: workspace), cache: cache, acceptance: acceptance,
      workspace: workspace)
    standing =
      extent == .layout
      ? nil
      : LineReuse(
        state: state, parent: lines.parent, output: output, verdicts: verdicts, clock: clock,
        places: places,
        settings: Fingerprint.line(file), names: names, formats: file.plan.formats.count,
        appliesLines: selection?.refreshes != true, upgrades: upgrades)
  }
}

extension RunContext {
  var freshness: FreshnessPolicy { verdicts.freshness }
  var rejections: RejectionPolicy { verdicts.rejections }
}
