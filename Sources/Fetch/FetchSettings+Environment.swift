internal import TesseraSystem

extension FetchSettings {
  /// Takes from the environment what concerns the machine rather than the pipeline: proxies, and in
  /// `SSL_CERT_FILE` the certificates that are trusted.
  package mutating func takeEnvironment() {
    proxies = ProxySettings(environment: Host.environment)
    certificates = Host.environment("SSL_CERT_FILE").flatMap { $0.isEmpty ? nil : $0 }
  }
}
