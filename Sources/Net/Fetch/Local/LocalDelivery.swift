internal import TesseraSystem

/// Passes one local source to its receiver, and treats validators, ranges and limits as a server
/// does.
struct LocalDelivery {
  private let request: FetchRequest
  private let settings: FetchSettings
  private let receiver: any BodyReceiving
  private(set) var bytes = 0

  /// Bytes of one read: small enough to stop soon, large enough to need few system calls.
  private static let part = 256 * 1024

  init(request: FetchRequest, settings: FetchSettings, receiver: any BodyReceiving) {
    self.request = request
    self.settings = settings
    self.receiver = receiver
  }

  /// - Parameters:
  ///   - version: what changes with the content; becomes the ETag.
  ///   - read: returns the bytes of a range; fewer if the source has become shorter.
  mutating func deliver(
    length: Int, version: String?, freshness: Duration,
    read: (Range<Int>) throws(SystemError) -> [UInt8]
  ) throws(FetchError) -> FetchResponse {
    let validators = Validators(etag: version, lastModified: nil)
    func response(_ ending: FetchResponse.Ending) -> FetchResponse {
      FetchResponse(
        ending: ending, url: request.url, place: settings.place(of: request.url), leftOrigin: false,
        validators: validators, freshness: freshness, bytes: bytes)
    }
    if let version, isKnown(version) {
      return response(.notModified)
    }
    // As with a server, a larger source is accepted if only its beginning is needed.
    guard length <= settings.maximumBytes || request.isForBeginning else {
      throw .tooLarge(settings.maximumBytes)
    }
    let wanted = try wantedRange(of: length, version)
    let extent: BodyExtent =
      wanted == 0..<length ? .whole(length: length) : .part(wanted, of: length)
    guard try wantsMore(receiver.begin(extent, validators)) else { return response(.stopped) }
    var offset = wanted.lowerBound
    while offset < wanted.upperBound {
      // One that is too large is read as far as it may be: its beginning may be all that is needed.
      guard bytes < settings.maximumBytes else { throw .tooLarge(settings.maximumBytes) }
      let end = min(
        wanted.upperBound, offset + Self.part, offset + settings.maximumBytes - bytes)
      let piece = try Self.reading { () throws(SystemError) in try read(offset..<end) }
      guard piece.count == end - offset else {
        throw FetchError(.truncated, "the file became shorter while it was read", isRetryable: true)
      }
      bytes += piece.count
      guard try wantsMore(receiver.receive(piece.span.bytes)) else { return response(.stopped) }
      offset = end
    }
    return response(.complete)
  }

  private func isKnown(_ version: String) -> Bool {
    let asked = request.condition?.validators(at: request.url, ignoring: settings.ignoredQuery)
    return asked?.etag == version
  }

  /// The requested range if it belongs to this version, or else the whole source (RFC 9110, section
  /// 13.1.5).
  private func wantedRange(of length: Int, _ version: String?) throws(FetchError) -> Range<Int> {
    guard let range = request.range, request.ifRange == nil || request.ifRange == version else {
      return 0..<length
    }
    let wanted = range.clamped(to: 0..<length)
    guard !wanted.isEmpty else { throw FetchError(.badRange, "the file ends before this range") }
    return wanted
  }

  private func wantsMore(_ verdict: BodyVerdict) throws(FetchError) -> Bool {
    switch verdict {
    case .more: true
    case .enough: false
    case .failed(let message): throw FetchError(.local, message)
    case .noRoom: throw .noRoom
    }
  }

  /// Runs a call that reads the source, and translates its error.
  static func reading<Value: ~Copyable>(
    _ body: () throws(SystemError) -> Value
  ) throws(FetchError) -> Value {
    do throws(SystemError) {
      return try body()
    } catch {
      throw FetchError(.notReadable, "the file cannot be read: \(error.reason)")
    }
  }
}
