internal import TesseraSystem
internal import TesseraText

/// Decodes the keys under `fetch`.
enum FetchDecoding {
  /// - Parameter directory: the base of relative folders in `allow`.
  static func fetch(_ top: inout KeyGroup, directory: String) -> PipelineFile.Fetch {
    var fetch = PipelineFile.Fetch()
    guard var group = top.group("fetch") else { return fetch }
    fetch.concurrency = group.int("concurrency", 1...1024) ?? fetch.concurrency
    fetch.perHost = group.int("per-host", 1...1024) ?? fetch.perHost
    fetch.order = group.choice("order", PipelineFile.Order.allCases) ?? fetch.order
    fetch.timeout = group.duration("timeout") ?? fetch.timeout
    fetch.deadline = group.duration("deadline") ?? fetch.deadline
    fetch.minimumSpeed =
      group.value("min-speed", expected: "a rate such as 1KB/s", Units.rate)
      ?? fetch.minimumSpeed
    fetch.retries = group.int("retries", 0...20) ?? fetch.retries
    if let bytes = group.value(
      "max-bytes", expected: "a size such as 64MB",
      { Units.bytes($0).flatMap { $0 > 0 ? $0 : nil } })
    {
      fetch.maximumBytes = bytes
    }
    fetch.redirects = group.int("redirects", 0...50) ?? fetch.redirects
    fetch.revalidation =
      group.choice("revalidate", PipelineFile.Revalidation.allCases) ?? fetch.revalidation
    fetch.ignoredQuery = strings("ignore-query", "a list of query parameters' names", &group)
    fetch.rewrites = rewrites(&group)
    fetch.headers = HeaderDecoding.headers(&group)
    fetch.headersEverywhere =
      group.value("headers-everywhere", expected: "true or false", Bool.init)
      ?? fetch.headersEverywhere
    fetch.allow = allow(&group, directory)
    fetch.keepStale = group.duration("keep-stale") ?? fetch.keepStale
    fetch.cache =
      group.value("cache", expected: "\"none\" or a size such as 10GB") { text in
        // .some(nil) is the value "none"; nil is a mistake.
        text == "none" ? .some(nil) : Units.bytes(text).flatMap { $0 > 0 ? .some($0) : nil }
      } ?? fetch.cache
    fetch.userAgent =
      group.value("user-agent", expected: "a line of text") { isLine($0) ? $0 : nil }
      ?? fetch.userAgent
    group.finish()
    return fetch
  }

  /// Whether a text can be part of a request's header without ending it.
  static func isLine(_ text: String) -> Bool {
    !text.isEmpty && text.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F }
  }

  private static func strings(
    _ key: String, _ expected: String, _ group: inout KeyGroup
  ) -> [String] {
    (group.list(key) ?? []).compactMap { group.value(of: $0, key, expected: expected) { $0 } }
  }

  private static func rewrites(_ group: inout KeyGroup) -> [PipelineFile.Rewrite] {
    (group.list("rewrite") ?? []).compactMap { node in
      var keys = KeyGroup(node, prefix: "fetch.rewrite.", context: group.context)
      let from = keys.value("from", expected: "the beginning of a URL") { $0 }
      let to = keys.value("to", expected: "the beginning of a URL") { $0 }
      keys.finish()
      guard let from, let to else {
        group.context.report(node.mark, "a rewrite needs \"from\" and \"to\"")
        return nil
      }
      return .init(from: from, to: to)
    }
  }

  private static func allow(_ group: inout KeyGroup, _ directory: String) -> [String] {
    let expected =
      "\"loopback\", \"private\", an address block such as 10.1.0.0/16, a folder such as "
      + "files:/srv/images, or a bucket such as s3:photos"
    return (group.list("allow") ?? []).compactMap { node in
      group.value(of: node, "allow", expected: expected) { text in
        let folder = text.dropFirst(PipelineFile.Fetch.folderMark.count)
        if text.hasPrefix(PipelineFile.Fetch.folderMark) {
          return folder.isEmpty
            ? nil : PipelineFile.Fetch.folderMark + FileSystem.join(directory, String(folder))
        }
        if text.hasPrefix(PipelineFile.Fetch.bucketMark) {
          return text == PipelineFile.Fetch.bucketMark ? nil : text
        }
        return text == "loopback" || text == "private" || AddressBlock.isValid(text) ? text : nil
      }
    }
  }
}
