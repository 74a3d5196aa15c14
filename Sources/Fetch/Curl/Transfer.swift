internal import TesseraCurl

/// One request in flight: its handle, its current hop and what has arrived so far.
///
/// It lives on the fetch loop's thread from start to end, and no other thread uses it. Its
/// extensions set the options, receive libcurl's callbacks and follow redirects.
final class Transfer {
  let identifier: Int
  let request: FetchRequest
  let settings: FetchSettings
  let receiver: any BodyReceiving
  var handle: EasyHandle

  /// The response to the current hop.
  var response: ResponseProgress
  /// The bytes of bodies so far, and the requests sent.
  var received = 0
  var requests = 0
  /// The bytes of error pages, which are read for the sake of the connection.
  var drained = 0
  /// The bytes of the headers of all hops so far, interim responses (1xx) and trailers included.
  var headerBytes = 0
  /// How long each redirect so far stays fresh; nil if it does not say.
  var redirectFreshness: [Duration?] = []
  /// The URL of the current hop, and the number of redirects that led to it.
  var url: String
  var redirects = 0
  var leftOrigin: Bool
  /// How the source is requested, if it is in an object store.
  var store: StoreSource?
  /// Whether the connection goes to a proxy and not to the source's host.
  var isProxied = false
  /// Whether libcurl decodes the body.
  var decodes = true
  /// For the current hop's host: to connect, and for the first byte.
  var timeout = Duration.zero
  /// When the last hop must have ended.
  var deadline = ContinuousClock.Instant.now
  /// Why this side ended the transfer; nil if it did not.
  var stop: Stop?

  /// At most this many bytes of headers, for the whole exchange: libcurl 7.88 limits a line and not
  /// their number, and keeps all of them. The number is Chromium's, for one response
  /// (`HttpStreamParser::kMaxHeaderBufSize`); later versions of libcurl stop at 300 kB.
  static let maximumHeaderBytes = 256 * 1024

  enum Stop: Equatable {
    case enough
    /// The body has a coding that libcurl does not know.
    case undecodable
    case error(FetchError)

    /// Nil if the receiver wants more.
    init?(_ verdict: BodyVerdict) {
      switch verdict {
      case .more: return nil
      case .enough: self = .enough
      case .failed(let message): self = .error(FetchError(.local, message))
      case .noRoom: self = .error(.noRoom)
      }
    }
  }

  init?(
    _ identifier: Int, _ request: FetchRequest, settings: FetchSettings,
    receiver: any BodyReceiving
  ) {
    guard let handle = EasyHandle() else { return nil }
    self.identifier = identifier
    self.request = request
    self.settings = settings
    self.receiver = receiver
    self.handle = handle
    url = request.url
    leftOrigin = request.leftOrigin
    response = ResponseProgress(range: request.range)
  }

  /// The transfer behind a handle that the multi handle reports.
  static func behind(_ pointer: UnsafeMutableRawPointer) -> Transfer? {
    EasyHandle.context(of: pointer).map(from)
  }

  /// The transfer behind a callback's context.
  static func from(_ context: UnsafeMutableRawPointer) -> Transfer {
    Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue()
  }

  var isRedirected: Bool { redirects > 0 }

  /// By whose word the current hop's request is sent.
  var right: AccessRight { store != nil ? .store : isProxied ? .proxy : .web }

  /// Host and port of the last request; empty if it was not answered.
  var answeredBy: String { response.headers.status == 0 ? "" : SourceHost.name(of: url) }

  /// What a result says about how much the host bears that the request was queued for; nil if nothing.
  func answer(_ result: Result<FetchResponse, FetchError>) -> HostWindow.Answer? {
    isRedirected ? .good(nil) : HostWindow.Answer(result, after: response.latency)
  }

  /// Makes the request to the current hop conditional; nil if it is not.
  var validators: Validators? {
    request.condition?.validators(at: url, ignoring: settings.ignoredQuery)
  }

  /// An error if the response is late or has stalled.
  func overdue(now: ContinuousClock.Instant) -> FetchError? {
    response.overdue(timeout: timeout, minimumSpeed: settings.minimumSpeed, now: now)
  }

  /// Whether it waits for a body that is not needed, for too long.
  func isDrainOver(now: ContinuousClock.Instant) -> Bool { response.isDrainOver(now: now) }

  /// What the headers of a successful response said; nil before they are complete.
  var begun: FetchResponse? { response.extent == nil ? nil : fetchResponse(.stopped) }

  func fetchResponse(_ ending: FetchResponse.Ending) -> FetchResponse {
    FetchResponse(
      ending: ending, url: url, place: settings.place(of: url), leftOrigin: leftOrigin,
      validators: response.validators, freshness: Freshness.lifetime(of: response.headers),
      redirectFreshness: redirectFreshness, bytes: received,
      // 500 characters: the catalog repeats it, and real values are a few words.
      robots: response.headers["x-robots-tag"].map { String($0.prefix(500)) })
  }

  /// The error for an address that the policy rejects. It does not name the address, because the
  /// catalog is public and the address may belong to a private network.
  func refusal(of peer: IPAddress) -> FetchError {
    let host = Origin(url).host.text
    return settings.refusal(
      of: peer, at: redirects == 0 ? host : "a redirect led to \(host), which")
  }
}
