internal import TesseraNet
internal import TesseraSystem

/// The object of a state. Each call blocks its thread.
struct StoredStateFile {
  let client: StoreClient
  let location: StoreLocation

  private static let kind = StoreClient.Kind(
    type: "application/vnd.sqlite3", caching: "no-store")

  /// Copies the object to a file of this machine, all of it of one version. Returns nil if the object is
  /// missing, and leaves no file then.
  func read(to target: WorkFile) throws -> (etag: String, changed: Double)? {
    do throws(SystemError) {
      return try copy(to: target)
    } catch {
      try target.remove()
      guard error.isMissingFile else { throw error }
      return nil
    }
  }

  private func copy(to target: WorkFile) throws(SystemError) -> (etag: String, changed: Double) {
    let file = try target.open(.write)
    let head = try store { () throws(StoreError) in try client.head(location) }
    var offset = 0
    while offset < head.size {
      let (part, _) = try store { () throws(StoreError) in
        try client.get(location, StoreClient.partBytes, at: offset, if: head.etag)
      }
      try file.write(part)
      offset += part.count
    }
    return (head.etag, Double(head.changed ?? 0))
  }

  /// Writes the object.
  ///
  /// - Parameter etag: of the object that it replaces; nil if there was none.
  /// - Returns: its ETag; nil if it was not written, because the object is another one.
  func write(_ source: WorkFile, after etag: String?) throws -> String? {
    let condition = etag.map { StoreClient.Condition.isUnchanged(etag: $0) } ?? .isNew
    do throws(SystemError) {
      let file = try source.open(.read)
      let size = try file.size()
      if size <= StoreClient.partBytes {
        let bytes = try file.read(size, at: 0)
        return try store { () throws(StoreError) in
          try client.put(bytes, at: location, Self.kind, if: condition)
        }
      }
      var offset = 0
      return try client.put(
        parts: { () throws(SystemError) in
          let part = try file.read(StoreClient.partBytes, at: offset)
          offset += part.count
          return part
        }, at: location, Self.kind, if: condition)
    } catch {
      guard error.isExistingFile || error.isMissingFile else { throw error }
      return nil
    }
  }

  private func store<Value>(
    _ body: () throws(StoreError) -> Value
  ) throws(SystemError) -> Value {
    do throws(StoreError) { return try body() } catch { throw error.asSystemError }
  }
}
