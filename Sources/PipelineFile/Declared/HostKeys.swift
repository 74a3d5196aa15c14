internal import TesseraJSON
internal import TesseraText

/// `fetch.rate` and `fetch.hosts`: how many requests are sent in a time, and settings for one host each.

extension KeyType where Value == RequestRate {
  static var requestRate: KeyType {
    scalar(
      "a number of requests in a second, a minute or an hour, such as 5/s, 30/m or 600/h",
      schema: ["type": "string", "pattern": "^[1-9][0-9]{0,5}/[smh]$"],
      json: { .string($0.text) }, parse: RequestRate.init)
  }
}

extension KeyType where Value == [HostSettings] {
  static var hosts: KeyType {
    KeyType(
      expected: "a list",
      schema: { _ in
        [
          "type": "array",
          "items": HostSettings.group.schema(HostSettings(host: "")).with([
            .init("minProperties", 2)
          ]),
        ]
      },
      read: { node, place, _ in
        guard case .sequence(let nodes) = node.content else {
          place.report(node.mark, "must be a list, found \(node.kind)")
          return nil
        }
        var hosts: [HostSettings] = []
        for node in nodes {
          let initial = HostSettings(host: "")
          guard let host = HostSettings.group.read(node, place, initial) else { continue }
          if hosts.contains(where: { $0.host == host.host }) {
            place.report(
              node.mark,
              "names the host \"\(host.host)\" twice; put all that is for it into one entry")
          } else {
            hosts.append(host)
          }
        }
        return hosts
      },
      // Only headers decide about what a server sends: the rest is in no fingerprint.
      json: { hosts in
        .array(
          hosts.filter { !$0.headers.isEmpty }.map { host in
            .array(
              [.string(host.host)] + host.headers.map { [.string($0.name), .string($0.value)] })
          })
      })
  }
}

extension HostSettings {
  fileprivate static let group = KeyType<Self>.group(
    [
      Key(
        "host", HeaderDecoding.hostType, \.host, isRequired: true,
        "The host, with its port if that is not the default."),
      Key(
        "per-host", .optional(.optional(.int(1...1024), word: "auto", initial: 1), initial: 1),
        \.perHost, "At most this many transfers at a time from it; auto as above."),
      Key(
        "rate", .optional(.requestRate, initial: RequestRate.example), \.rate,
        "At most this many requests to it in a second, a minute or an hour, by this process."),
      Key(
        "timeout", .optional(.duration, initial: .seconds(15)), \.timeout,
        "Time limit to connect to it, and for the first byte."),
      Key(
        "headers", .hostHeaders, \.headers,
        "Request headers for it, in the place of others of the same name."),
      Key(
        "retries", .optional(.int(0...20), initial: 0), \.retries,
        "Attempts after the first one, for transient errors."),
    ], isOptional: false,
    check: { settings, group in
      if group.names.count == 1 {
        group.context.report(
          group.mark, "\"fetch.hosts\" has no settings for the host \"\(settings.host)\"")
      }
      var settings = settings
      for index in settings.headers.indices { settings.headers[index].host = settings.host }
      return settings
    })
}

extension RequestRate {
  /// For a schema, which does not depend on it.
  static let example = RequestRate(requests: 5, unit: .second)
}
