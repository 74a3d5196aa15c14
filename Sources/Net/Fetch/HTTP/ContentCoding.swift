extension ResponseHeaders {
  /// The codings that Content-Encoding lists, in lower case.
  private var codings: [String] {
    (self["content-encoding"] ?? "").split(separator: ",")
      .map { $0.filter { $0 != " " && $0 != "\t" }.lowercased() }.filter { !$0.isEmpty }
  }

  /// Whether the body has an unknown coding: `utf-8`, `aws-chunked`, `image/jpeg`. Then it is the content as it is,
  /// as for browsers (Fetch, "handle content codings"): stores and frameworks write anything there.
  var hasUnknownCoding: Bool { !CurlLibrary.contentCodings.isSuperset(of: codings) }

  /// Whether lengths and offsets say nothing about the bytes that arrive, because the body is decompressed.
  var isCompressed: Bool {
    !hasUnknownCoding && codings.contains { $0 != "identity" && $0 != "none" }
  }
}
