internal import TesseraOutput
internal import TesseraPipelineFile
internal import TesseraSystem
internal import TesseraText

/// The file of `run --events` or `run --metrics`: a new one, or one that an earlier run wrote. Any other file is the
/// user's, and stays.
enum ReportFile: String {
  case events = "--events"
  case metrics = "--metrics"

  private static let start = 1 << 10

  /// - Parameter pipeline: whose inputs and outputs it must not be; nil if the pipeline file can't be read.
  /// - Throws: `SystemError` if the path is that of something else.
  func check(_ path: String, of pipeline: PipelineFile?) throws(SystemError) {
    if let pipeline, let owner = Self.owner(of: path, in: pipeline) {
      throw taken(path, "is \(owner)")
    }
    // A pipe or a device keeps nothing that could be lost.
    guard let file = FileSystem.realPath(path), FileSystem.size(ofFile: file) != nil else { return }
    let bytes = try File(file, .read).read(Self.start, at: 0)
    guard bytes.isEmpty || isOne(String(decoding: bytes, as: UTF8.self)) else {
      throw taken(path, "is a file that no run wrote for \(rawValue)")
    }
  }

  private func isOne(_ start: String) -> Bool {
    switch self {
    case .events: start.prefixMatch(of: /\{"time":"[^"]*","event":"/) != nil
    case .metrics: start.hasPrefix("# HELP tessera_")
    }
  }

  private func taken(_ path: String, _ finding: String) -> SystemError {
    .notReplaced(path, "\(finding), and would be lost; name another file for \(rawValue)")
  }

  /// What a path is to a pipeline; nil if it is nothing.
  private static func owner(of path: String, in pipeline: PipelineFile) -> String? {
    let place = place(of: path)
    if place.isSame(as: self.place(of: pipeline.path)) { return "the pipeline file" }
    for list in pipeline.manifest.all {
      let path: String? =
        switch list {
        case .file(let path): path
        case .query(let query): query.database
        case .standardInput, .url, .object, .several: nil
        }
      if let path, place.isSame(as: self.place(of: path)) { return "the manifest" }
    }
    let output = self.place(of: pipeline.output) + "/"
    guard place.begins(with: output) else { return nil }
    let inside = String(Substring(place.utf8.dropFirst(output.utf8.count)))
    let isTaken = OutputPlace.of(inside) != nil || inside.hasPrefix(".tessera")
    return isTaken ? "a file of the output" : nil
  }

  /// Where a file is, or would be, without links.
  private static func place(of path: String) -> String {
    if let real = FileSystem.realPath(path) { return real }
    let parent = FileSystem.parent(of: path)
    return FileSystem.join(FileSystem.realPath(parent) ?? parent, FileSystem.name(of: path))
  }
}
