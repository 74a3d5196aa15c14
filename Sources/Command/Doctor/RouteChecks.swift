internal import TesseraNet
internal import TesseraSystem
internal import TesseraText

/// What a request to a URL found at each hop.
struct RouteChecks: Sendable {
  /// As it was named, without secrets.
  var url: String
  var trace: RouteTrace
  /// This machine's time when the request ended, in seconds since 1970.
  var now: Double
  /// How long a run waits for the first byte of an answer, in seconds, unless its pipeline says otherwise.
  var patience: Double

  init(
    _ url: String, _ trace: RouteTrace, now: Double,
    patience: Double = FetchSettings().timeout.inSeconds
  ) {
    (self.url, self.trace, self.now, self.patience) = (url, trace, now, patience)
  }

  static func examine(_ url: String, _ settings: FetchSettings) async -> RouteChecks {
    let trace = await RouteTrace.follow(url, settings)
    return RouteChecks(
      SourceURL.place(url, ignoring: []), trace, now: Host.now, patience: settings.timeout.inSeconds
    )
  }

  /// Object stores reject signatures that are 15 minutes off; a good clock is off by less than a second.
  private static let clockTolerance = 60

  var findings: [HealthCheck] {
    var findings: [HealthCheck] = []
    if !trace.addresses.isEmpty {
      findings.append(
        HealthCheck(.names, url, "\(trace.host): \(trace.addresses.joined(separator: " "))"))
    }
    for (number, hop) in trace.hops.enumerated() {
      let isLast = number == trace.hops.count - 1
      if let tls = hop.tls { findings.append(finding(tls)) }
      findings.append(finding(hop, failed: isLast ? trace.error : nil))
    }
    if trace.hops.isEmpty, let error = trace.error {
      findings.append(failure(error, value: "not sent"))
    }
    if let drift { findings.append(drift) }
    return findings
  }

  private func finding(_ tls: RouteTrace.TLS) -> HealthCheck {
    var value = tls.version
    if let issuer = tls.issuer { value += ", issued by \(issuer)" }
    if let end = tls.end { value += ", valid until \(Host.timestamp(Double(end)))" }
    return HealthCheck(.tls, url, value)
  }

  private func finding(_ hop: RouteTrace.Hop, failed error: FetchError?) -> HealthCheck {
    let place =
      hop.isProxied ? "the proxy" : hop.address ?? hop.obstacle?.lowercased() ?? "no connection"
    let value =
      "\(hop.status == 0 ? "no answer" : "\(hop.status)"), \(place), "
      + "\(Int((hop.seconds * 1000).rounded())) ms: \(hop.url)"
    if let error { return failure(error, value: value) }
    guard hop.seconds > patience else { return HealthCheck(.request, url, value) }
    return HealthCheck(
      .request, url, value,
      problem:
        "the answer took \((hop.seconds * 10).rounded() / 10) s, and a run waits \(Int(patience)) s for one",
      fix:
        "fetch: {timeout: \(Int(hop.seconds * 2))s} in the pipeline file, if the server is always so slow"
    )
  }

  private func failure(_ error: FetchError, value: String) -> HealthCheck {
    // The rest of a rejection's message says what repairs it.
    let reason =
      error.code == .addressRejected ? error.message.prefix { $0 != ";" } : error.message[...]
    var problem = "\"\(url)\" can't be fetched: \(reason)"
    if let distrust = trace.distrust { problem += " (\(distrust))" }
    return HealthCheck(.request, url, value, problem: problem, fix: fix(of: error))
  }

  private func fix(of error: FetchError) -> String {
    switch error.code {
    case .addressRejected:
      let word = trace.permission ?? "private"
      return "fetch: {allow: [\(word)]} in the pipeline file, here --allow "
        + word.filter { $0 != "\"" }
    case .dns: return "getent hosts \(trace.host); then /etc/resolv.conf, or --dns of the container"
    case .tls:
      return
        "install ca-certificates, or SSL_CERT_FILE=FILE with the authority's certificate, if the "
        + "server is your own"
    case .timeout, .network:
      return "the firewall, or https_proxy=URL; fetch: {timeout: 30s} if the server is slow"
    case .redirect: return "name the last address in the manifest, or fetch: {redirects: 10}"
    case .httpStatus where [401, 403].contains(error.status):
      return "fetch: {headers: [{host: \(trace.host), Authorization: …}]} in the pipeline file"
    case .badURL: return "write it as https://host/path"
    default: return "ask the server's owner; the URL itself may be wrong"
    }
  }

  /// This machine's clock beside the server's.
  private var drift: HealthCheck? {
    guard let server = trace.hops.compactMap(\.serverTime).last else { return nil }
    let off = Int(now.rounded()) - server
    guard abs(off) > Self.clockTolerance else {
      return HealthCheck(.clock, url, "as the server's")
    }
    return HealthCheck(
      .clock, url, "\(abs(off)) s \(off < 0 ? "behind" : "ahead of") the server's",
      problem:
        "the clock of this machine is \(abs(off)) s \(off < 0 ? "behind" : "ahead of") that of "
        + "\(trace.host)",
      fix: "timedatectl set-ntp true")
  }
}
