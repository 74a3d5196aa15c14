import Foundation
import TesseraBytes
import TesseraJSON
import TesseraTestSupport

@testable import TesseraState

/// A state that a run has left.
enum SmallState {
  /// What a run says of an item.
  struct Item {
    var id: String
    var line: String
    var status = "ok"
    var reasons: [Reason] = []
    /// SHA-256 of the source's bytes.
    var content: String?
    /// The source's URL.
    var url: String
    /// The URL that is requested, if it is another one.
    var request: String?

    /// What its line has.
    private var json: JSONValue? { try? JSONParser.parse(Array(line.utf8)) }
    fileprivate var ownStatus: String { json?["status"]?.stringValue ?? status }
    fileprivate var files: String? { json?["source"]?.stringValue }
    fileprivate var host: String? {
      json?["url"]?.stringValue.flatMap { URL(string: $0)?.host() }
    }
  }

  /// Writes the state of a run that has these items, and no others.
  @discardableResult
  static func write(
    _ items: [Item], to path: String, qualities: [(key: String, record: QualityRecord)] = [],
    files: [SmallOutput.Made] = []
  ) async throws -> Int {
    let state = try StateStore(path: path)
    let run = try await state.beginRun(boot: "")
    _ = try await state.claim(
      items.enumerated().map { .init(id: $1.id, line: $0 + 1, entry: $1.id) }, run: run)
    for item in items {
      var change = StateStore.SourceChange()
      change.source = item.content.map {
        SourceRecord(
          content: $0,
          confirmation: .init(etag: nil, lastModified: nil, checked: 1, freshUntil: nil, run: run))
      }
      try await state.save(
        .init(
          id: item.id, line: item.line, status: item.ownStatus, reasons: item.reasons,
          files: item.files, host: item.host), change, key: RecordKey.of(item.url),
        url: RecordKey.of(item.request ?? item.url))
    }
    if !qualities.isEmpty { try await state.add(qualities) }
    try await state.add(
      files.map {
        VariantRecord(
          path: $0.path, width: $0.width, height: $0.height, bytes: $0.bytes, sha256: $0.sha256)
      }, run: run)
    try await state.endRun(run, .init(pipeline: "feed", items: items.count))
    return run
  }
}

extension StateStore {
  fileprivate func add(_ records: [(key: String, record: QualityRecord)]) throws {
    try begin()
    try qualities.save(records)
  }

  fileprivate func add(_ files: [VariantRecord], run: Int) throws {
    try begin()
    try variants.save(
      files.map { (VariantRecord.key(path: $0.path), $0) }, extra: .int(run))
  }
}
