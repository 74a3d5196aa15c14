internal import TesseraSystem
internal import TesseraText

/// Objects: writing, reading, listing, deleting.
extension StoreClient {
  /// What a write depends on.
  package enum Condition: Sendable, Equatable {
    /// The object does not exist yet.
    case isNew
    /// The object is the one that had this ETag.
    case isUnchanged(etag: String)
  }

  /// What an object is, besides its bytes.
  package struct Kind: Sendable {
    /// The media type.
    package var type: String
    /// The header Cache-Control.
    package var caching: String

    package init(type: String, caching: String) {
      self.type = type
      self.caching = caching
    }

    var headerLines: [(name: String, value: String)] {
      [("content-type", type), ("cache-control", caching)]
    }
  }

  /// Writes an object. Returns its ETag; empty if the server sends none.
  ///
  /// - Parameter findsOwn: whether the object is looked at if the condition does not hold; false for a caller that looks itself.
  /// - Throws: ``StoreError``, of kind `condition` if the condition does not hold and the object has other bytes, of
  ///   kind `late` after the deadline.
  @discardableResult
  package func put(
    _ bytes: [UInt8], at location: StoreLocation, _ kind: Kind, if condition: Condition? = nil,
    until deadline: ContinuousClock.Instant? = nil, findsOwn: Bool = true
  ) throws(StoreError) -> String {
    let request = StoreRequest(
      method: "PUT", location: location,
      headers: kind.headerLines + Self.conditionHeaders(of: condition),
      body: bytes, deadline: deadline)
    do throws(StoreError) {
      let etag = try perform(request).headers["etag"]
      if let etag { return etag }
      // An answer that lacks what belongs to it may be a gateway's, and the store have written nothing.
      guard condition != nil else { return "" }
      if let etag = self.etag(ofSame: bytes, at: location) { return etag }
      throw StoreError(
        kind: .unreachable, location: location,
        finding:
          "is not what was written, though the answer was a success; look at what is before the store"
      )
    } catch {
      // The answer to an earlier request may have been lost: then the object is this one.
      guard condition != nil, findsOwn, error.isInTheWay,
        let etag = etag(ofSame: bytes, at: location)
      else { throw error }
      return etag
    }
  }

  /// The ETag of an object that has these bytes; nil if it has others, or is not there.
  private func etag(ofSame bytes: [UInt8], at location: StoreLocation) -> String? {
    // Whatever fails here, the first error is what matters.
    guard let (found, etag) = try? get(location, bytes.count + 1, at: 0), found == bytes else {
      return nil
    }
    return etag
  }

  static func conditionHeaders(of condition: Condition?) -> [(name: String, value: String)] {
    switch condition {
    case .isNew: [("if-none-match", "*")]
    case .isUnchanged(let etag): [("if-match", etag)]
    case nil: []
    }
  }

  /// Up to `count` bytes from `offset`; fewer only where the object ends.
  ///
  /// - Parameter etag: the object has to be the one that had it; nil for any.
  package func get(
    _ location: StoreLocation, _ count: Int, at offset: Int, if etag: String? = nil
  ) throws(StoreError) -> (bytes: [UInt8], etag: String) {
    guard count > 0 else { return ([], try head(location).etag) }
    var request = StoreRequest(method: "GET", location: location)
    if let etag { request.headers.append(("if-match", etag)) }
    request.range = offset..<offset + count
    do throws(StoreError) {
      let answer = try perform(request)
      return (answer.body, answer.headers["etag"] ?? "")
    } catch {
      guard error.kind == .behindEnd else { throw error }
      return ([], etag ?? "")
    }
  }

  /// What a store tells of an object.
  package struct Head: Sendable {
    /// In bytes.
    package var size: Int
    package var etag: String
    /// When it was written, in seconds since 1970 by the store's clock; nil if the store does not say.
    package var changed: Int?
    /// How long ago that was, by the same clock if the store says its time.
    package var age: Duration?

    fileprivate init(size: Int, _ headers: ResponseHeaders) {
      self.size = size
      etag = headers["etag"] ?? ""
      changed = headers["last-modified"].flatMap(HTTPDate.seconds)
      // A store that does not say what time it is has about this machine's.
      let now = headers["date"].flatMap(HTTPDate.seconds) ?? Int(Host.now)
      age = changed.map { .seconds(max(0, now - $0)) }
    }
  }

  /// A small object.
  package func object(_ location: StoreLocation) throws(StoreError) -> (bytes: [UInt8], Head) {
    let answer = try perform(StoreRequest(method: "GET", location: location))
    return (answer.body, Head(size: answer.body.count, answer.headers))
  }

  package func head(
    _ location: StoreLocation, until deadline: ContinuousClock.Instant? = nil
  ) throws(StoreError) -> Head {
    let answer = try perform(
      StoreRequest(method: "HEAD", location: location, deadline: deadline))
    guard let size = answer.headers["content-length"].flatMap({ Int($0) }) else {
      throw StoreError(
        kind: .rejected, location: location,
        finding: "has no size: the store sent no Content-Length"
      )
    }
    return Head(size: size, answer.headers)
  }

  /// Deletes an object. A missing one is not an error.
  package func delete(
    _ location: StoreLocation, until deadline: ContinuousClock.Instant? = nil
  ) throws(StoreError) {
    do throws(StoreError) {
      _ = try perform(StoreRequest(method: "DELETE", location: location, deadline: deadline))
    } catch {
      guard error.kind == .missing else { throw error }
    }
  }

  /// A part of a listing: objects, and what has a further slash in its name ("folders").
  package struct Page: Sendable {
    package var objects: [(key: String, size: Int)] = []
    package var folders: [String] = []
    /// Continues the listing; nil at its end.
    package var next: String?
  }

  /// Lists what is below a location, sorted by key, up to a thousand at a time.
  ///
  /// - Parameter isDeep: whether folders' contents are listed, and not the folders.
  package func list(
    _ location: StoreLocation, isDeep: Bool = false, after token: String? = nil,
    limit: Int = 1_000
  ) throws(StoreError) -> Page {
    let prefix = location.key.isEmpty ? "" : location.key + "/"
    var request = StoreRequest(
      method: "GET", location: StoreLocation(bucket: location.bucket, key: ""))
    request.query = [
      ("list-type", "2"), ("max-keys", "\(limit)"), ("prefix", prefix),
      // Keys may have characters that XML can't have.
      ("encoding-type", "url"),
    ]
    if !isDeep { request.query.append(("delimiter", "/")) }
    if let token { request.query.append(("continuation-token", token)) }
    let text = String(decoding: try perform(request).body, as: UTF8.self)[...]
    guard let result = StoreXML.elements("ListBucketResult", in: text).first else {
      throw StoreError(
        kind: .rejected, location: location, finding: "can't be listed: the store sent no list")
    }
    let decoded = Self.decoder(of: result)
    var page = Page()
    for object in StoreXML.elements("Contents", in: result) {
      guard let key = StoreXML.texts(of: "Key", in: object).first,
        let size = StoreXML.texts(of: "Size", in: object).first.flatMap({ Int($0) })
      else { continue }
      page.objects.append((decoded(key), size))
    }
    for folder in StoreXML.elements("CommonPrefixes", in: result) {
      page.folders += StoreXML.texts(of: "Prefix", in: folder).map(decoded)
    }
    page.next = StoreXML.texts(of: "NextContinuationToken", in: result).first
    return page
  }
}

extension StoreClient {
  /// What turns a key of a listing into that of its object.
  static func decoder(of result: Substring) -> (String) -> String {
    // Servers that ignore the parameter do not repeat it.
    guard StoreXML.texts(of: "EncodingType", in: result).first == "url" else { return { $0 } }
    return { text in
      // As in forms, a plus sign is a blank.
      let text = text.split(separator: "+", omittingEmptySubsequences: false).joined(separator: " ")
      return PercentEncoding.decode(text[...]).map { String(decoding: $0, as: UTF8.self) } ?? text
    }
  }

  /// The objects below a location, those in folders too.
  package func locations(below location: StoreLocation) throws(StoreError) -> [StoreLocation] {
    var found: [StoreLocation] = []
    var token: String?
    repeat {
      let page = try list(location, isDeep: true, after: token)
      found += page.objects.map { StoreLocation(bucket: location.bucket, key: $0.key) }
      token = page.next
    } while token != nil
    return found
  }
}
