/// Settings that are for the requests to one host only. What is nil is as for all hosts.
package struct HostSettings: Sendable, Equatable {
  /// In lower case. Without a port it means the default port of http and https.
  package var host: String
  /// Requests at a time; `.some(nil)` leaves the number to the host.
  package var perHost: Int??
  /// Requests in a time, by this process.
  package var rate: RequestRate?
  /// To connect, and from the request to the first byte of the response.
  package var timeout: Duration?
  /// Bound to this host. They take the place of other headers of the same name.
  package var headers: [RequestHeader]
  /// Attempts after the first.
  package var retries: Int?

  package init(
    host: String, perHost: Int?? = nil, rate: RequestRate? = nil, timeout: Duration? = nil,
    headers: [RequestHeader] = [], retries: Int? = nil
  ) {
    self.host = host
    self.perHost = perHost
    self.rate = rate
    self.timeout = timeout
    self.headers = headers
    self.retries = retries
  }
}
