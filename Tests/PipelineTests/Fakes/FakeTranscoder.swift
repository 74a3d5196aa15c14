import Synchronization
import TesseraBytes
import TesseraPlan
import TesseraSystem
import TesseraWorkers

/// Workers without processes: a job's files are headers of the planned size.
final class FakeTranscoder: Transcoding {
  enum Behaviour: Sendable {
    /// Makes all files, and sees what the job expects.
    case make
    /// Makes all files, and sees something else.
    case makeButSee(SourceFacts)
    /// Makes all files of a damaged image.
    case makeButWarn([SourceWarning])
    /// Makes nothing, and sees something else.
    case differ(SourceFacts)
    /// Reports all files, each of which has these bytes.
    case pretend([UInt8])
    /// Makes all files, and reports these qualities.
    case find([FoundQuality])
    case fail(TranscodeFailure)
  }

  private struct State {
    var next: [Behaviour] = []
    var always = Behaviour.make
    var decodes: [Int] = []
    var isClosed = false
    var quality = 72
    var time = Duration.zero
    var formats: [String] = []
  }

  private let state = Mutex(State())

  let capabilities: WorkerCapabilities

  init(libvips: String = "8.14.1") {
    capabilities = WorkerCapabilities(
      libvips: libvips, confinement: Confinement(landlock: 0, hasSeccomp: false))
  }

  // MARK: For tests

  /// How the next decodes behave, before the usual behaviour applies again.
  func script(_ next: Behaviour...) { state.withLock { $0.next = next } }

  /// The usual behaviour.
  func always(_ behaviour: Behaviour) { state.withLock { $0.always = behaviour } }

  /// The quality that searches find.
  func find(_ quality: Int) { state.withLock { $0.quality = quality } }

  /// How long each job takes of a worker, as it says.
  func take(_ time: Duration) { state.withLock { $0.time = time } }

  /// The formats of the files that each job had to make since the last call: `webp webp`.
  func takeFormats() -> [String] {
    state.withLock { state in
      defer { state.formats = [] }
      return state.formats
    }
  }

  /// The decodes since the last call: how many files each had to make.
  func takeDecodes() -> [Int] {
    state.withLock { state in
      defer { state.decodes = [] }
      return state.decodes
    }
  }

  func close() { state.withLock { $0.isClosed = true } }
  func drain() { close() }
  func open() { state.withLock { $0.isClosed = false } }

  // MARK: Transcoding

  func perform(
    _ job: TranscodeJob, of source: JobSource, watch: JobWatch?
  ) async throws(TesseraError) -> TranscodeAnswer {
    let behaviour = state.withLock { state -> Behaviour in
      if state.isClosed { return .fail(TranscodeFailure(.cancelled, "the pool was closed")) }
      state.decodes.append(job.files.count)
      state.formats.append(job.files.map(\.encoding.format.rawValue).joined(separator: " "))
      watch?.add(state.time)
      return state.next.isEmpty ? state.always : state.next.removeFirst()
    }
    switch behaviour {
    case .make: return make(job, of: source, seeing: job.expected)
    case .makeButSee(let facts): return make(job, of: source, seeing: facts)
    case .makeButWarn(let warnings):
      return make(job, of: source, seeing: job.expected, warnings)
    case .differ(let facts): return .differs(facts)
    case .find(let qualities):
      return make(job, of: source, seeing: job.expected, qualities: qualities)
    case .pretend(let bytes):
      return Self.made(job.files.map { _ in bytes }, seeing: job.expected)
    case .fail(let failure): return .failed(failure)
    }
  }

  /// Zeros, as many as the entries have bytes.
  func perform(
    _ job: TableJob, of source: JobSource
  ) async throws(TesseraError) -> TableAnswer {
    let bytes = [UInt8](repeating: 0, count: job.entries.count * job.entryBytes)
    return .made(bytes, leftOut: [])
  }

  func expectLastJobs() {}

  var statistics: WorkerStatistics { WorkerStatistics() }

  private static func bytes(of source: JobSource) throws -> [UInt8] {
    switch source.bytes {
    case .file(let path): try FileSystem.read(path, limit: 1 << 31)
    case .memory(let bytes): bytes
    }
  }

  private func make(
    _ job: TranscodeJob, of source: JobSource, seeing facts: SourceFacts,
    _ warnings: [SourceWarning] = [], qualities: [FoundQuality]? = nil
  ) -> TranscodeAnswer {
    do {
      let digest = SHA256.of(try Self.bytes(of: source))
      let quality = state.withLock { $0.quality }
      let found = job.files.unresolvedEncodings.compactMap { _ in
        AutomaticQuality.searchedSize(of: facts.size, base: job.decode.base).map {
          FoundQuality(
            quality: quality, score: 67.5, worstTile: 60, size: $0, encodes: 2, isGraphic: false)
        }
      }
      // Other sources, other recipes and other versions make other bytes.
      let files = job.files.map { file in
        var file = file
        if file.encoding.isUnresolved { file.encoding.quality = quality }
        let text = "\(digest) \(file.recipe) \(job.decode.recipe) \(capabilities.libvips)"
        let (width, height) = (file.size.width, file.size.height)
        return file.encoding.format == .png
          ? TinyImage.png(UInt8(clamping: width), UInt8(clamping: height)) + Array(text.utf8)
          : TinyImage.webp(width, height, text)
      }
      return Self.made(files, seeing: facts, warnings, qualities ?? found)
    } catch {
      return .failed(TranscodeFailure(.local, "\(error)"))
    }
  }

  private static func made(
    _ files: [[UInt8]], seeing facts: SourceFacts, _ warnings: [SourceWarning] = [],
    _ qualities: [FoundQuality] = []
  ) -> TranscodeAnswer {
    var result = TranscodeResult(
      facts: facts, placeholders: placeholders, warnings: warnings, lengths: files.map(\.count))
    result.qualities = qualities
    return .made(MadeFiles(result) { files[$0] })
  }

  private static let placeholders = Placeholders([
    .color: "#336699", .thumbhash: "dGh1bWI=", .blurhash: "L00000",
  ])
}
