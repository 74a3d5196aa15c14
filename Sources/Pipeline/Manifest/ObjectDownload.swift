package import TesseraNet
package import TesseraPipelineFile
internal import TesseraSystem

/// Fetches a manifest in an object store into a file.
struct ObjectDownload {
  private let location: StoreLocation
  private let client: StoreClient

  private static let part = 16 << 20

  /// Nil unless the text is like `s3://bucket/key`.
  init?(_ text: String, _ settings: StoreSettings) {
    guard let location = StoreLocation(text), !location.key.isEmpty else { return nil }
    self.location = location
    client = StoreClient(settings)
  }

  /// - Parameter directory: where the file is; it has no name there.
  func file(in directory: String) async throws -> File {
    let file = try File.temporary(in: directory)
    let pool = BlockingPool(limit: 1)
    var offset = 0
    var version: String?
    while true {
      try Task.checkCancellation()
      let (position, known) = (offset, version)
      let (bytes, etag) = try await answer {
        try await pool.run { [client, location] () throws(StoreError) in
          try client.get(location, Self.part, at: position, if: known)
        }
      }
      if bytes.isEmpty { break }
      try file.write(bytes)
      offset += bytes.count
      // All parts of one version.
      version = etag.isEmpty ? nil : etag
      if bytes.count < Self.part { break }
    }
    try file.rewind()
    return file
  }

  private func answer<Value>(_ body: () async throws -> Value) async throws -> Value {
    do {
      return try await body()
    } catch let error as StoreError {
      throw TesseraError.manifest(path: "\(location)", reason: "it \(error.finding)")
    }
  }
}

extension PipelineFile.Store {
  /// The settings as the client takes them.
  package var settings: StoreSettings {
    StoreSettings(endpoint: endpoint, region: region, usesPathStyle: usesPathStyle)
  }
}
