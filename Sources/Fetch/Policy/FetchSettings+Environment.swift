internal import TesseraCurl
internal import TesseraSystem

extension FetchSettings {
  /// Reads from the environment what depends on the machine and not on the pipeline: the proxies,
  /// and in `SSL_CERT_FILE` the trusted certificates.
  package mutating func takeEnvironment() {
    proxies = ProxySettings(environment: Host.environment)
    certificates = Host.environment("SSL_CERT_FILE").flatMap { $0.isEmpty ? nil : $0 }
  }
}
