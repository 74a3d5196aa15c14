internal import TesseraBytes
package import TesseraSystem

/// Objects that are written in parts, because they are large.
extension StoreClient {
  /// The parts of an object that is written in parts, in bytes.
  package static let partBytes = 16 << 20

  /// Writes a large object in parts, which `next` returns in order; an empty one ends it.
  ///
  /// - Parameter end: calls what puts the parts together, which shows the object: on a condition, until a time.
  package func put<Value>(
    parts next: () throws(SystemError) -> [UInt8], at location: StoreLocation, _ kind: Kind,
    end: (
      _ complete: (Condition?, _ deadline: ContinuousClock.Instant?) throws(StoreError) -> String
    ) throws(StoreError) -> Value
  ) throws(SystemError) -> Value {
    let upload = try system { () throws(StoreError) in try beginUpload(location, kind) }
    do throws(SystemError) {
      var (etags, size): ([String], Int) = ([], 0)
      while true {
        let bytes = try next()
        if bytes.isEmpty { break }
        size += bytes.count
        let number = etags.count + 1
        etags.append(
          try system { () throws(StoreError) in
            try put(part: number, bytes, of: upload, at: location)
          })
      }
      return try system { () throws(StoreError) in
        try end { condition, deadline throws(StoreError) in
          try endUpload(upload, etags, at: location, if: condition, size: size, until: deadline)
        }
      }
    } catch {
      // Parts that are never put together are paid for. The first error is what matters.
      _ = try? abort(Upload(location: location, identifier: upload))
      throw error
    }
  }

  /// As above, on a condition that is known at the beginning. Returns the object's ETag.
  @discardableResult
  package func put(
    parts next: () throws(SystemError) -> [UInt8], at location: StoreLocation, _ kind: Kind,
    if condition: Condition? = nil
  ) throws(SystemError) -> String {
    try put(parts: next, at: location, kind) { complete throws(StoreError) in
      try complete(condition, nil)
    }
  }

  // MARK: Interrupted ones

  /// An object that is being written in parts, or whose writer has ended: readers do not see its parts.
  package struct Upload: Sendable, Equatable {
    package var location: StoreLocation
    var identifier: String
  }

  /// Those of objects below a location.
  package func uploads(below location: StoreLocation) throws(StoreError) -> [Upload] {
    var found: [Upload] = []
    var after: [(name: String, value: String)] = []
    while true {
      var request = StoreRequest(
        method: "GET", location: StoreLocation(bucket: location.bucket, key: ""))
      request.query =
        [
          ("encoding-type", "url"), ("prefix", location.key.isEmpty ? "" : location.key + "/"),
          ("uploads", ""),
        ] + after
      let text = String(decoding: try perform(request).body, as: UTF8.self)[...]
      guard let result = StoreXML.elements("ListMultipartUploadsResult", in: text).first else {
        throw StoreError(
          kind: .unsupported, location: location,
          finding: "can't be searched for interrupted uploads: the store sent no list")
      }
      let decoded = Self.decoder(of: result)
      for upload in StoreXML.elements("Upload", in: result) {
        guard let key = StoreXML.texts(of: "Key", in: upload).first,
          let identifier = StoreXML.texts(of: "UploadId", in: upload).first
        else { continue }
        found.append(
          Upload(
            location: StoreLocation(bucket: location.bucket, key: decoded(key)),
            identifier: identifier))
      }
      guard StoreXML.texts(of: "IsTruncated", in: result).first == "true",
        let key = StoreXML.texts(of: "NextKeyMarker", in: result).first
      else { return found }
      let next = [
        ("key-marker", decoded(key)),
        ("upload-id-marker", StoreXML.texts(of: "NextUploadIdMarker", in: result).first ?? ""),
      ]
      // A server that does not move on would be listed forever.
      if let last = after.first, last.value == next[0].1, after.last?.value == next[1].1 {
        return found
      }
      after = next
    }
  }

  /// Deletes the parts. Those that are gone are not an error.
  package func abort(_ upload: Upload) throws(StoreError) {
    var request = StoreRequest(method: "DELETE", location: upload.location)
    request.query = [("uploadId", upload.identifier)]
    do throws(StoreError) {
      _ = try perform(request)
    } catch {
      guard error.kind == .missing else { throw error }
    }
  }

  private func system<Value>(
    _ body: () throws(StoreError) -> Value
  ) throws(SystemError) -> Value {
    do throws(StoreError) { return try body() } catch { throw error.asSystemError }
  }

  private func beginUpload(
    _ location: StoreLocation, _ kind: Kind
  ) throws(StoreError) -> String {
    var request = StoreRequest(method: "POST", location: location, headers: kind.headerLines)
    request.query = [("uploads", "")]
    let answer = String(decoding: try perform(request).body, as: UTF8.self)
    guard let upload = StoreXML.texts(of: "UploadId", in: answer[...]).first else {
      throw StoreError(
        kind: .rejected, location: location, finding: "can't be written: the store sent no UploadId"
      )
    }
    return upload
  }

  /// S3's ETag of an object in parts: the MD5 of theirs, and their number.
  private static func etag(of parts: [String]) -> String {
    let digests = parts.flatMap { part in
      let digits = part.compactMap(\.hexDigitValue)
      return stride(from: 0, to: digits.count - 1, by: 2).map {
        UInt8(digits[$0] * 16 + digits[$0 + 1])
      }
    }
    let text = MessageDigest.md5.digest(of: digests).map { byte in
      (byte < 16 ? "0" : "") + String(byte, radix: 16)
    }
    return "\"\(text.joined())-\(parts.count)\""
  }

  /// Returns the part's ETag.
  private func put(
    part number: Int, _ bytes: [UInt8], of upload: String, at location: StoreLocation
  ) throws(StoreError) -> String {
    var request = StoreRequest(method: "PUT", location: location, body: bytes)
    // Without one, libcurl sends that of a form, whose body some servers take apart.
    request.headers = [("content-type", "application/octet-stream")]
    request.query = [("partNumber", "\(number)"), ("uploadId", upload)]
    return try perform(request).headers["etag"] ?? ""
  }

  /// Returns the object's ETag.
  ///
  /// - Parameter size: of all parts, in bytes.
  private func endUpload(
    _ upload: String, _ etags: [String], at location: StoreLocation, if condition: Condition?,
    size: Int, until deadline: ContinuousClock.Instant?
  ) throws(StoreError) -> String {
    let parts = etags.enumerated().map { index, etag in
      "<Part><PartNumber>\(index + 1)</PartNumber><ETag>\(etag)</ETag></Part>"
    }
    var request = StoreRequest(method: "POST", location: location, deadline: deadline)
    request.query = [("uploadId", upload)]
    request.headers = [("content-type", "application/xml")] + Self.conditionHeaders(of: condition)
    request.body = Array(
      "<CompleteMultipartUpload>\(parts.joined())</CompleteMultipartUpload>".utf8)
    let answer: String
    do throws(StoreError) {
      answer = String(decoding: try perform(request).body, as: UTF8.self)
    } catch {
      // As in `put`: the upload is gone once its parts are together.
      guard error.isInTheWay, let found = try? head(location), found.etag == Self.etag(of: etags)
      else { throw error }
      return found.etag
    }
    // The status is sent before the parts are put together: an error may follow in the body.
    if let code = StoreXML.texts(of: "Code", in: answer[...]).first {
      throw StoreError(
        kind: .unreachable, location: location, finding: "could not be written: \(code)")
    }
    let stored = try head(location)
    guard stored.size == size else {
      throw StoreError(
        kind: .rejected, location: location,
        finding: "was stored with \(stored.size) bytes instead of \(size)")
    }
    return stored.etag
  }
}
