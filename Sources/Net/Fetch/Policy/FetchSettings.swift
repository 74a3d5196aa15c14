package import TesseraSystem
package import TesseraText

/// Settings that are the same for all requests of a run.
package struct FetchSettings: Sendable {
  /// At most this many transfers at a time.
  package var concurrency: Int
  /// At most this many transfers at a time from one host; nil for as many as it answers well; see ``HostWindow``.
  package var perHost: Int?
  /// The time limit to connect, and from the request to the first byte of the response.
  package var timeout: Duration
  /// Bytes a second, averaged over ``StallWatch/window``; a slower transfer fails.
  package var minimumSpeed: Int
  package var maximumBytes: Int
  package var redirects: Int
  package var userAgent: String
  package var headers: [RequestHeader] = []
  /// The hosts that have settings of their own.
  package var hosts = HostRules()
  /// How many requests this process sends, to all hosts together; nil for no limit.
  package var rate: RequestRate?
  package var addresses: AddressPolicy
  package var proxies = ProxySettings()
  /// The file of trusted certificates that replaces the system's; nil keeps the system's.
  package var certificates: String?
  /// The folders from which `file:` URLs may be read.
  package var folders: [String] = []
  /// The buckets from which `s3:` URLs may be read, and the store that has them.
  package var buckets: [String] = []
  package var store = StoreClient(StoreSettings())
  /// When the whole run ends: requests that are in flight then fail, and so do later ones.
  package var end: ContinuousClock.Instant?
  /// How long one item may take at most. A host that fails for longer is given up.
  package var patience = Duration.seconds(120)
  /// Query parameters that do not identify a source.
  package var ignoredQuery: [String] = []
  /// The time of day, against which dates in Retry-After are measured.
  package var clock = WallClock.system
  /// Called when requests to a host begin to wait, because it is busy or fails: the reason, and for how
  /// long. From the fetcher's thread, so it has to return at once.
  package var hostSlowed:
    @Sendable (_ host: String, _ error: FetchError, _ pause: Duration) -> Void =
      { _, _, _ in }
  /// Says how the user permits an address, given the word or the block for it. Completes the
  /// sentence "if that is meant, …".
  package var permissionHint: @Sendable (String) -> String = { permission in
    "add allow: [\(permission)] to the pipeline's \"fetch\""
  }

  package init(
    concurrency: Int = 16, perHost: Int? = HostWindow.first, timeout: Duration = .seconds(15),
    minimumSpeed: Int = 1_000, maximumBytes: Int = 64_000_000, redirects: Int = 5,
    userAgent: String = UserAgent.standard,
    addresses: AddressPolicy = AddressPolicy()
  ) {
    self.concurrency = concurrency
    self.perHost = perHost
    self.timeout = timeout
    self.minimumSpeed = minimumSpeed
    self.maximumBytes = maximumBytes
    self.redirects = redirects
    self.userAgent = userAgent
    self.addresses = addresses
  }

  /// The most requests at a time that any host gets; nil if a host decides.
  var mostPerHost: Int? {
    guard let own = hosts.mostPerHost else { return perHost }
    guard let own, let perHost else { return nil }
    return max(own, perHost)
  }

  /// What identifies the place of a response: see `SourceURL.place(_:ignoring:)`.
  func place(of url: String) -> String { SourceURL.place(url, ignoring: ignoredQuery) }
}

extension FetchSettings {
  /// Reads from the environment what depends on the machine and not on the pipeline: the proxies,
  /// and in `SSL_CERT_FILE` the trusted certificates.
  package mutating func takeEnvironment() {
    proxies = ProxySettings(environment: Host.environment)
    certificates = Host.environment("SSL_CERT_FILE").flatMap { $0.isEmpty ? nil : $0 }
  }
}

extension FetchSettings {
  /// Why a source is rejected, as far as its URL alone shows that: it spells out an address, or names a file
  /// outside the allowed folders. Sends nothing. Nil if only a request can tell.
  package func rejection(ofSource url: String) -> FetchError? {
    switch LocalSource(url) {
    case .file(let path): return LocalSource.rejection(of: path, self)
    case .unreadable(let error): return error
    case .data: return nil
    case nil: break
    }
    let origin = Origin(url)
    guard ["http", "https"].contains(origin.scheme), let address = origin.host.address,
      !addresses.permits(address)
    else { return nil }
    return rejection(of: address, at: origin.host.text)
  }

  /// The folder that has to be allowed for a source that is a file; nil for other sources.
  package static func folder(ofSource url: String) -> String? {
    guard case .file(let path)? = LocalSource(url) else { return nil }
    let folder = FileSystem.parent(of: path)
    return FileSystem.realPath(folder) ?? folder
  }

  /// - Parameter place: the host, or how a request came to it.
  func rejection(of address: IPAddress, at place: String) -> FetchError {
    let permission = permissionHint(AddressPolicy.permission(for: address))
    return FetchError(
      .addressRejected, "\(place) is not on the public internet; if that is meant, \(permission)")
  }
}
