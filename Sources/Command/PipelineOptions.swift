internal import TesseraPipeline
internal import TesseraPipelineFile

/// The options that replace a value of the pipeline file.
enum PipelineOptions {
  static let manifest = Option(
    "--manifest", "PATH", "read this path or URL instead of the pipeline's; - is standard input",
    expected: PipelineFile.Manifest.expected, completes: .files
  ) { PipelineFile.Manifest($0, directory: "") }

  /// The path of the pipeline file: the first operand, or `pipeline.yaml` in the working directory.
  static func path(_ arguments: Arguments) throws(UsageError) -> String {
    if let path = arguments.operands.first { return path }
    guard PipelineFile.hasStandard else {
      throw UsageError(
        "there is no \(PipelineFile.standardName) in this folder; name a pipeline file, or write one with "
          + "tessera init")
    }
    return PipelineFile.standardName
  }

  /// Reads the pipeline file.
  static func load(
    _ arguments: Arguments, output: Option<String>? = nil
  ) throws -> PipelineFile {
    let file = try PipelineFile.load(
      try path(arguments), manifest: try arguments.value(manifest),
      output: try output.flatMap { try arguments.value($0) })
    for warning in file.warnings { Console.warn(warning) }
    return file
  }
}

/// Options of the commands that request files from an image service.
enum DeliveryOptions {
  private static let timeout = Option.duration(
    "--timeout", "to connect, and to the first byte; default 30s")
  private static let concurrency = Option.number(
    "--concurrency", "files requested at a time; default 4", in: 1...256)

  static let all: [any OptionSyntax] = [NetworkOptions.allow, timeout, concurrency]

  static func access(_ arguments: Arguments) throws -> DeliveryAccess {
    DeliveryAccess(
      concurrency: try arguments.value(concurrency) ?? 4,
      timeout: try arguments.value(timeout) ?? .seconds(30),
      allow: try arguments.all(NetworkOptions.allow))
  }
}

/// Options of the commands that request what a person names.
enum NetworkOptions {
  static let allow = Option(
    "--allow", "WHAT", "loopback, private or an address block; may be repeated",
    expected: "loopback, private or an address block such as 10.1.0.0/16",
    completes: .words(["loopback", "private"])
  ) { ProbeSession.understands($0) ? $0 : nil }
}

/// Options of the commands that take an output.
enum OutputOptions {
  static let state = Option.path(
    "--state", "DIR",
    "the folder of the state, if the output is in a store and its state is not",
    completes: .folders)
}

/// The options that name the images of a run.
enum SelectionOptions {
  private static let only = Option(
    "--only", "ID", "only this image, or all images of a product with this id; may be repeated")
  private static let onlyFailed = Flag(
    "--only-failed", "only the images that failed or are stale")
  private static let onlyHost = Option(
    "--only-host", "HOST", "only the images of this host (cdn.example, or with its port)")
  private static let refresh = Flag(
    "--refresh", "with --only…, fetch and make again also what is fresh")

  static let all: [any OptionSyntax] = [only, onlyFailed, onlyHost, refresh]

  static var names: String { "\(only.name), \(onlyFailed.name) or \(onlyHost.name)" }

  /// Nil for all images.
  static func selection(_ arguments: Arguments) throws -> RunSelection? {
    let selection = RunSelection(
      ids: try arguments.all(only), onlyFailed: arguments.has(onlyFailed),
      host: try arguments.value(onlyHost), refreshes: arguments.has(refresh))
    guard selection != nil || !arguments.has(refresh) else {
      throw UsageError("\(refresh.name) is for some images: name them with \(names)")
    }
    return selection
  }
}

/// What `check`, `init` and `run` say of a list besides its mistakes.
enum ListNotes {
  /// URLs that are requested otherwise than they are written.
  static func encoded(_ count: Int) -> String {
    "\(Amount.count(count, "URL")) with blanks or other characters that a URL can't have; they are encoded as browsers "
      + "do"
  }

  /// Rows that are not images: a line for each kind of them.
  static func omitted(imageless: Int, unpublished: Int) -> [String] {
    var notes: [String] = []
    if imageless > 0 {
      notes.append("\(Amount.count(imageless, "row")) of the list without an image")
    }
    if unpublished > 0 {
      notes.append(
        "\(Amount.count(unpublished, "row")) of what is not published (\"published\" under columns); their images are left out"
      )
    }
    return notes
  }
}
