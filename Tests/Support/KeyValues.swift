/// A pipeline file for each key that there is.
public enum KeyValues {
  public static let minimal = "manifest: m\noutput: o\nslots: {a: {size: 10x10}}\n"

  /// For each key that a file may have, a value that is not the default.
  public static let others = [
    "manifest": "n", "output": "p", "state": "s", "base": "https://b.example/",
    "base-url": "https://c.example/", "slots": "{b: {size: 10x10}}", "scales": "[1]",
    "columns": "{url: image_link}", "weights": "{a: 2}", "upgrade": "{format: avif}",
    "rounding": "exact", "placeholders": "[color]", "tables": "{a: {}}", "accept": "[jpeg]",
    "fail-on": "none", "fail-above": "1%", "shrink-above": "1%", "lost-above": "1%",
    "keep-lost": "1d", "keep-catalogs": "5", "extra": "all", "workers": "2", "lanes": "off",
    "require-sandbox": "true", "delivery": "{preset: nos, files: true}",
    "store.endpoint": "https://s.example", "store.region": "eu", "store.path-style": "true",
    "variants.format": "png", "variants.quality": "70", "variants.quality-range": "[50, 60]",
    "variants.effort": "2", "variants.alpha-quality": "80", "variants.oversized": "png",
    "variants.background": "\"#000000\"", "variants.metadata": "keep",
    "variants.animation": "first-frame", "variants.hdr": "keep", "variants.gravity": "north",
    "fetch.concurrency": "2", "fetch.rate": "5/s",
    "fetch.hosts": "[{host: h, headers: {A: b}}]",
    "fetch.per-host": "2", "fetch.order": "newest-first", "fetch.timeout": "1s",
    "fetch.deadline": "1s", "fetch.min-speed": "2KB/s", "fetch.retries": "1",
    "fetch.max-bytes": "1MB", "fetch.redirects": "1", "fetch.revalidate": "never",
    "fetch.ignore-query": "[a]", "fetch.rewrite": "[{from: a, to: b}]",
    "fetch.headers": "[{host: h, A: b}]", "fetch.headers-everywhere": "true",
    "fetch.allow": "[\"files:/srv\"]", "fetch.keep-stale": "1d", "fetch.cache": "1GB",
    "fetch.user-agent": "A/1", "limits.pixels": "1MP", "limits.frames": "1",
    "limits.memory": "1GB", "limits.time": "1s", "limits.unpacked-list": "1GB",
    "catalog.profile": "full", "catalog.screens": "{feed: {slots: [a]}}", "catalog.changes": "2",
    "catalog.urls": "none",
  ]

  /// The minimal file with another value of a key.
  public static func file(_ path: String, _ value: String) -> String {
    let parts = path.split(separator: ".")
    let extra = path == "variants.quality-range" ? ", quality: auto" : ""
    let line =
      parts.count == 2 ? "\(parts[0]): {\(parts[1]): \(value)\(extra)}" : "\(path): \(value)"
    let rest = minimal.split(separator: "\n").filter { !$0.hasPrefix("\(path):") }
    let output = path == "state" ? rest.map { $0 == "output: o" ? "output: s3://b/p" : $0 } : rest
    return (output + [line[...]]).joined(separator: "\n") + "\n"
  }
}
