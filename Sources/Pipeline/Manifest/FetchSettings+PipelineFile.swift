package import TesseraNet
package import TesseraPipelineFile

extension PipelineFile.Fetch {
  /// The settings as the fetcher takes them.
  package var fetchSettings: FetchSettings {
    var settings = FetchSettings(
      concurrency: concurrency, perHost: perHost, timeout: timeout, minimumSpeed: minimumSpeed,
      maximumBytes: maximumBytes, redirects: redirects, userAgent: userAgent,
      addresses: AddressPolicy(allow: allow))
    settings.headers = headers
    settings.hosts = HostRules(hosts)
    settings.rate = rate
    settings.patience = deadline
    settings.folders = folders
    settings.buckets = buckets
    settings.ignoredQuery = ignoredQuery
    settings.takeEnvironment()
    return settings
  }

  /// How often an item is requested, and for how long.
  package var retryPolicy: RetryPolicy {
    RetryPolicy(retries: retries, deadline: deadline, hosts: HostRules(hosts))
  }
}
