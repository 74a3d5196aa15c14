internal import TesseraNet
internal import TesseraOutput
internal import TesseraPipeline
internal import TesseraPipelineFile
internal import TesseraSystem
internal import TesseraText

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
    for folder in file.fetch.folders where !FileSystem.isDirectory(folder) {
      Console.warn(
        "the folder \"\(folder)\" that \"allow\" names does not exist; if it was renamed, name it there as it is now, "
          + "and correct the list, too (tessera init --manifest-only does)")
    }
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

/// An output that a command works on.
struct NamedOutput: Sendable {
  /// A folder, or a place in a store.
  var root: String
  /// The folder of the state of an output in a store; nil for a state in the store.
  var state: String?
  /// How the store is reached.
  var store = StoreSettings()
  /// The pipeline whose output it is, if that is known.
  var pipeline: PipelineFile?
}

extension NamedOutput {
  /// - Parameter state: in the place of the pipeline's.
  init(of file: PipelineFile, state: String?) {
    self.init(
      root: file.output, state: state ?? (OpenOutput.isInStore(file.output) ? file.state : nil),
      store: file.store.settings, pipeline: file)
  }
}

/// The operand and the options of the commands that take an output.
enum OutputOptions {
  static let operand = Operand.optional("OUTPUT", .folders)

  /// The output that the first operand names.
  static func output(_ arguments: Arguments, of command: any Command.Type) throws -> NamedOutput {
    try output(arguments.operands.first, arguments, of: command)
  }

  /// The output that a word names: a folder, a place in a store, or a pipeline file whose output it is.
  ///
  /// - Parameter word: nil for the output of `pipeline.yaml` in the working directory, as `run` has it.
  static func output(
    _ word: String?, _ arguments: Arguments, of command: any Command.Type
  ) throws -> NamedOutput {
    let state = try arguments.value(Self.state)
    guard word != nil || PipelineFile.hasStandard else {
      throw UsageError.operands("missing", command.syntax, command: command.name)
    }
    let standard = PipelineFile.hasStandard ? PipelineFile.standardName : nil
    if let path = word.map({ isPipeline($0) ? $0 : nil }) ?? standard {
      return NamedOutput(of: try PipelineFile.load(path), state: state)
    }
    let root = word ?? ""
    // A store is reached as the pipeline says that has its output there. One with mistakes may say so: no request is signed
    // for another host before they are repaired.
    if OpenOutput.isInStore(root), let standard {
      let file = try PipelineFile.load(standard)
      if OpenOutput.areOnePlace(file.output, root) { return NamedOutput(of: file, state: state) }
    }
    var output = NamedOutput(root: root, state: state)
    if let place = FileSystem.realPath(root),
      let file = standard.flatMap({ try? PipelineFile.load($0) }),
      Identifier(FileSystem.realPath(file.output)) == Identifier(place)
    {
      output.pipeline = file
    }
    return output
  }

  /// Whether a word names an output, where an id could stand as well.
  static func namesOutput(_ word: String) -> Bool {
    OpenOutput.isInStore(word) || FileSystem.isDirectory(word) || isPipeline(word)
      || !PipelineFile.hasStandard
  }

  private static func isPipeline(_ word: String) -> Bool {
    (word.hasSuffix(".yaml") || word.hasSuffix(".yml")) && FileSystem.size(ofFile: word) != nil
  }

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
        "\(Amount.count(unpublished, "row")) that \(unpublished == 1 ? "does not say it is" : "do not say they are") published (\"published\" under columns); \(unpublished == 1 ? "its" : "their") images are left out"
      )
    }
    return notes
  }
}
