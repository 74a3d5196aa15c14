package import TesseraOutput
package import TesseraState
package import TesseraSystem
internal import TesseraWorkers

/// Why a run as a whole could not go on. The last good catalog stands.
package enum PipelineError: Error, Sendable, CustomStringConvertible {
  case output(OutputError)
  case state(StateError)
  case system(SystemError)
  case workers(String)
  case manifest(path: String, reason: String)
  /// The output holds the catalog of another pipeline.
  case otherPipeline(String, of: String, output: String)
  /// More of the last items failed than `fail-above` allows.
  case tooManyFailures(String)
  /// The new catalog would lose images that the current one shows.
  case lostImages(String)
  /// A shard has a part of the images, and a table has all of them.
  case shardOfTables
  /// A run of some images, and what keeps the others from staying as they are.
  case notOnly(String)
  /// Ids that neither the manifest nor the catalog has, and some like the first of them.
  case unknownImages([String], near: [String])
  /// Why a table could not be made.
  case table(String)
  /// A disk that is full, a directory that went away: whatever hits every item alike.
  case local(String)

  package var description: String {
    switch self {
    case .output(let error): error.description
    case .state(let error): error.description
    case .system(let error): error.description
    case .workers(let sentence): sentence
    case .manifest(let path, let reason): "the manifest \"\(path)\": \(reason)"
    case .otherPipeline(let other, let name, let output):
      "the output \"\(output)\" holds the catalog of the pipeline \"\(other)\", which \"\(name)\" would "
        + "replace; choose another output, or, if the pipeline was renamed or moved, run once with --take-over"
    case .tooManyFailures(let diagnosis), .lostImages(let diagnosis): diagnosis
    case .shardOfTables:
      "the pipeline has \"tables\", which are made of all images at once, and --shard processes a part of them; "
        + "run without --shard, or remove \"tables\" from the pipeline file"
    case .notOnly(let reason): "only some images can't be processed: \(reason)"
    case .unknownImages(let ids, let near):
      "neither the manifest nor the catalog has "
        + (ids.count == 1 ? "an image " : "images ") + Self.list(ids)
        + (near.isEmpty ? "" : "; there are \(Self.list(near))")
        + "; correct --only"
    case .table(let reason):
      "a table could not be made: \(reason); run again, or remove \"tables\" from the pipeline file"
    case .local(let sentence): sentence
    }
  }

  /// The kind of error in the history of runs.
  var failure: RunFailure {
    switch self {
    case .state(let error) where error.isFullDisk: .diskFull
    case .system(let error) where error.isFullDisk: .diskFull
    case .output(.system(let error)) where error.isFullDisk: .diskFull
    case .output: .output
    case .state: .state
    case .system: .system
    case .workers: .workers
    case .manifest: .manifest
    case .otherPipeline: .otherPipeline
    case .notOnly: .only
    case .unknownImages: .unknownImages
    case .tooManyFailures: .tooManyFailures
    case .lostImages: .lostImages
    case .shardOfTables, .table: .tables
    case .local: .local
    }
  }

  /// Some of a list.
  private static func list(_ ids: [String]) -> String {
    let rest = ids.count - listed
    return ids.prefix(listed).map { "\"\($0)\"" }.joined(separator: ", ")
      + (rest > 0 ? " and \(rest) more" : "")
  }

  private static let listed = 10

  /// Whether another run holds the output.
  package var isBusy: Bool {
    switch self {
    case .output(let error): error.isBusy
    case .system(let error): error.isLost
    default: false
    }
  }
}

extension PipelineError {
  /// The error of a part as one of the pipeline.
  init(_ error: any Error) {
    self =
      switch error {
      case let error as PipelineError: error
      case let error as OutputError: .output(error)
      case let error as StateError: .state(error)
      case let error as SystemError: .system(error)
      case let error as WorkerStartError: .workers(error.description)
      default: .local("\(error)")
      }
  }

  /// Calls `body`, and turns the error of a part into one of the pipeline.
  package static func wrap<Value: ~Copyable>(_ body: () throws -> Value) throws(PipelineError)
    -> Value
  {
    do { return try body() } catch { throw PipelineError(error) }
  }
}
