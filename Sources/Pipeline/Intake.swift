internal import Synchronization
internal import TesseraBytes
internal import TesseraFetch
internal import TesseraImageHeader
internal import TesseraPlan
internal import TesseraSystem

/// Takes a source in as it arrives: reads its header from the first bytes, refuses what is no
/// picture or is over a limit before the rest has come, and spools and digests what is left.
final class Intake: BodyReceiving {
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
    /// The picture that it is, where it is one.
    var picture: Picture?
    /// Whether the rest of the bytes may come the next time.
    var isRetryable: Bool { code == "truncated" }
  }

  /// What is told of a picture that is not let in.
  struct Picture: Sendable, Equatable {
    var format: String
    /// In displayed pixels.
    var size: Size
  }

  private let limits: Limits
  private let spoolPath: String
  private let state = Mutex(State())

  private struct State: ~Copyable {
    var header = HeaderReader(isExact: false)
    let digest = SHA256()
    var spool: File?
    var refusal: Refusal?
    /// Bytes so far, and how many the whole has, where the server said so.
    var count = 0
    var length: Int?
    /// The strong validator of the version they belong to.
    var version: String?
    /// Whether an answer was a part of something else.
    var isForeign = false
  }

  /// - Parameter spoolPath: where the source is kept; made when the first bytes come.
  init(limits: Limits, spoolPath: String) {
    self.limits = limits
    self.spoolPath = spoolPath
  }

  /// A body, or the rest of one that broke off. Bytes of two versions are never put together.
  func begin(_ extent: BodyExtent, _ validators: Validators?) -> BodyVerdict {
    state.withLock { state in
      switch extent {
      case .whole(let length):
        state = State()
        state.length = length
        state.version = validators?.strong
      case .part(let range, let total):
        state.isForeign =
          range.lowerBound != state.count || range.upperBound != state.length
          || total ?? range.upperBound != state.length
          || validators?.etag != state.version
        if state.isForeign { return .enough }
      }
      return .more
    }
  }

  /// What is still missing of a body that broke off, and the version it has to be of; nil where the server does
  /// not say enough to be asked for a part.
  var rest: (range: Range<Int>, version: String)? {
    state.withLock { state in
      guard let length = state.length, let version = state.version,
        (1..<max(1, length)).contains(state.count), state.refusal == nil
      else { return nil }
      return (state.count..<length, version)
    }
  }

  /// Whether there are fewer bytes, or more, than the server said that there are.
  var isShort: Bool { state.withLock { $0.count < $0.length ?? 0 } }
  var isLong: Bool { state.withLock { $0.count > $0.length ?? .max } }

  /// Closes the spooled bytes until more of them come.
  func pause() { state.withLock { $0.spool = nil } }

  /// Whether a part came that does not belong to what is here: the whole has to be asked for.
  var isForeign: Bool { state.withLock { $0.isForeign } }

  func receive(_ bytes: RawSpan) -> BodyVerdict {
    state.withLock { state in
      let isFirst = state.count == 0
      state.count += bytes.byteCount
      if state.header.isSearching {
        state.header.add(bytes)
        state.refusal = limits.refusal(of: state.header.streamed())
        if state.refusal != nil { return .enough }
      }
      do throws(SystemError) {
        if state.spool == nil { state.spool = try File(spoolPath, isFirst ? .write : .append) }
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
      state.header.end()
      let reading = state.header.streamed()
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

extension Intake.Limits {
  /// VIPS_MAX_COORD.
  private static let longestSide = 10_000_000

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
          picture: Intake.Picture(header))
      }
      guard max(header.pixelWidth, header.pixelHeight) <= Self.longestSide else {
        return Intake.Refusal(
          code: "too-many-pixels",
          message:
            "the picture has \(header.width) x \(header.height) pixels; no side may have more "
            + "than \(Self.longestSide)", picture: Intake.Picture(header))
      }
      let area = header.pixelWidth.multipliedReportingOverflow(by: header.pixelHeight)
      guard !area.overflow, area.partialValue <= pixels else {
        return Intake.Refusal(
          code: "too-many-pixels",
          message: "the picture has \(header.width) x \(header.height) pixels; "
            + "limits.pixels allows \(pixels)", picture: Intake.Picture(header))
      }
      return nil
    }
  }
}

extension Intake.Picture {
  init(_ header: ImageHeader) {
    self.init(format: header.format.rawValue, size: Size(header.width, header.height))
  }
}
