internal import Synchronization
internal import TesseraFetch
internal import TesseraFiles
internal import TesseraImageHeader

/// Takes a source in as it arrives: reads its header from the first bytes, refuses what is no
/// picture or is over a limit before the rest has come, and spools and digests what is left.
final class Intake: BodyReceiving {
  /// The largest part of a file that is looked at for its header. Beyond it lies no size that
  /// anybody's picture needs.
  static let headerReach = 16 << 20

  struct Limits: Sendable {
    var accept: [ImageFormat]
    var pixels: Int
  }

  /// What has come in.
  enum Outcome: Sendable {
    case picture(ImageHeader, digest: String)
    case refused(Refusal)
  }

  /// Why a source is not let in: its bytes, not its transfer, are at fault.
  struct Refusal: Error, Sendable, Equatable {
    var code: String
    /// A sentence without its full stop.
    var message: String
    var header: ImageHeader?
  }

  private let limits: Limits
  private let spoolPath: String
  private let state = Mutex(State())

  private struct State: ~Copyable {
    var scout = HeaderScout(seeksOrientation: false)
    let digest = Digest()
    var spool: File?
    var refusal: Refusal?
  }

  /// - Parameter spoolPath: where the source is kept; made when the first bytes come.
  init(limits: Limits, spoolPath: String) {
    self.limits = limits
    self.spoolPath = spoolPath
  }

  func receive(_ bytes: RawSpan) -> BodyVerdict {
    state.withLock { state in
      if state.scout.isSearching {
        state.scout.add(bytes)
        state.refusal = limits.refusal(of: state.scout.reading)
        if state.refusal != nil { return .enough }
      }
      do throws(SystemError) {
        if state.spool == nil { state.spool = try File(spoolPath, .write) }
        try state.spool?.write(bytes)
      } catch {
        return .failed("\(error)")
      }
      bytes.withUnsafeBytes { state.digest.update($0) }
      return .more
    }
  }

  /// To be called once, when the transfer has ended well.
  func finish() -> Outcome {
    state.withLock { state in
      state.spool = nil
      let reading = state.scout.finish()
      if let refusal = state.refusal ?? limits.refusal(of: reading) { return .refused(refusal) }
      guard case .header(let header) = reading else {
        return .refused(Refusal(code: "not-image", message: "the file is no picture"))
      }
      return .picture(header, digest: state.digest.hexadecimal())
    }
  }

  /// Closes and removes the spooled bytes.
  func discard() {
    state.withLock { $0.spool = nil }
    // What can't be removed now is removed at the next run's start.
    try? FileSystem.remove(spoolPath)
  }
}

/// Collects a file's first bytes until they tell its header.
struct HeaderScout {
  /// So many bytes are looked at as they come.
  private static let patience = 128 * 1024

  /// Whether to go on where only the orientation is missing.
  var seeksOrientation = false
  private var bytes: [UInt8] = []
  private var needed = 1
  private(set) var reading: HeaderReading = .needs(0..<1)

  init(seeksOrientation: Bool) { self.seeksOrientation = seeksOrientation }

  /// Whether more bytes can still tell more.
  var isSearching: Bool { if case .needs = reading { true } else { false } }

  /// How many bytes have been looked at.
  var count: Int { bytes.count }

  mutating func add(_ more: RawSpan) {
    more.withUnsafeBytes { bytes.append(contentsOf: $0) }
    guard bytes.count >= needed else { return }
    reading = ImageHeader.read(bytes.span, isWhole: false, seeksOrientation: seeksOrientation)
    if case .needs(let range) = reading {
      let prefix = range.upperBound
      // Each reading begins anew, so in a long search what is looked at doubles: a file made to be
      // searched costs no more than twice its length.
      needed = bytes.count < Self.patience ? prefix : max(prefix, bytes.count * 2)
      if prefix > Intake.headerReach {
        reading = .refused(
          .init(.malformed, "a picture that does not tell its size in its first 16 MiB"))
      }
    }
    if !isSearching { bytes = [] }
  }

  /// The answer, now that no more bytes will come.
  mutating func finish() -> HeaderReading {
    if isSearching { reading = ImageHeader.read(bytes.span, isWhole: true) }
    return reading
  }
}

extension Intake.Limits {
  /// Why a header's picture is not let in; nil where it is, or where the header is not known yet.
  func refusal(of reading: HeaderReading) -> Intake.Refusal? {
    switch reading {
    case .needs: return nil
    case .refused(let refusal):
      return Intake.Refusal(code: refusal.kind.rawValue, message: "the file is \(refusal.reason)")
    case .header(let header):
      guard accept.contains(header.format) else {
        let names = accept.map(\.rawValue).joined(separator: ", ")
        return Intake.Refusal(
          code: "unsupported-format",
          message: "the file is \(header.format.withArticle) picture; \"accept\" names \(names)",
          header: header)
      }
      let area = header.pixelWidth.multipliedReportingOverflow(by: header.pixelHeight)
      guard !area.overflow, area.partialValue <= pixels else {
        return Intake.Refusal(
          code: "too-many-pixels",
          message: "the picture has \(header.width) x \(header.height) pixels; "
            + "limits.pixels allows \(pixels)", header: header)
      }
      return nil
    }
  }
}
