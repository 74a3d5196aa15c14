internal import TesseraManifest
internal import TesseraPipelineFile
internal import TesseraState
internal import TesseraSystem

/// The rows of a query on a SQLite database as a list. A row's number is its line.
final class QueryStream: ManifestList {
  let path: String
  private let query: ListQuery
  private var reader: RowReader
  private let pool = BlockingPool(limit: 1)
  private var isAtEnd = false
  private(set) var lastLine = 0
  private let end: ContinuousClock.Instant?

  private static let batch = 1_000

  /// - Parameters:
  ///   - reader: decides about the entries.
  ///   - end: when the run ends, if it has a deadline.
  init(
    _ source: PipelineFile.ManifestQuery, _ reader: ManifestReader, end: ContinuousClock.Instant?
  ) throws {
    path = source.database
    self.end = end
    // SQLite follows no link, so that nothing is read in the place of what was named.
    guard let place = FileSystem.realPath(source.database) else {
      throw TesseraError.manifest(path: source.database, reason: "it does not exist")
    }
    do throws(ListQuery.Failure) {
      query = try ListQuery(place, sql: source.sql)
    } catch {
      throw TesseraError.manifest(path: source.database, reason: error.message)
    }
    do throws(ListRejection) {
      self.reader = try RowReader(columns: query.columns, reader)
    } catch {
      throw TesseraError.manifest(path: source.database, reason: error.reason)
    }
  }

  // A query has no bytes, and no row of it is known before it is read.
  let size: Int? = nil
  let bytesRead = 0
  let digest: String? = nil
  let shard: Shard? = nil
  let suggestedColumns: ColumnMapping? = nil
  var leftOut: LeftOutMembers { reader.lines.leftOut }
  var secrets: Int { reader.lines.secrets }
  var encoded: Int { reader.lines.encoded }
  var omitted: OmittedRows { reader.omitted }

  func wholeDigest() async throws -> String? { nil }
  func makeParts() {}
  func records(of part: ManifestChunk) -> [ManifestRecord] { reader.records(of: part) }

  func nextParts() async throws -> [ManifestChunk]? {
    var parts: [ManifestChunk] = []
    while parts.isEmpty, !isAtEnd {
      try Task.checkCancellation()
      let rows = try await nextRows()
      isAtEnd = rows.count < Self.batch
      var records: [ManifestRecord] = []
      for row in rows {
        lastLine += 1
        switch row {
        case .fields(let fields): records += reader.records(of: fields, line: lastLine)
        case .notUTF8(let column):
          do throws(ListRejection) {
            records.append(try reader.record(ofNoUTF8: column, line: lastLine))
          } catch {
            throw TesseraError.manifest(path: path, reason: error.reason)
          }
        }
      }
      parts = ManifestChunk.uncompared(records)
    }
    return parts.isEmpty ? nil : parts
  }

  private func nextRows() async throws -> [ListQuery.Row] {
    let timer = end.map { [query] end in
      Task {
        try await Task.sleep(until: end)
        query.interrupt()
      }
    }
    defer { timer?.cancel() }
    do throws(ListQuery.Failure) {
      return try await pool.run { [query] () throws(ListQuery.Failure) in try query.next(Self.batch)
      }
    } catch  where error.isInterrupted {
      try Task.checkCancellation()
      guard let end, end <= .now else { throw CancellationError() }
      throw TesseraError.manifest(path: path, reason: Self.late)
    } catch {
      throw TesseraError.manifest(path: path, reason: error.message)
    }
  }

  static let late = "the run's deadline (--deadline) passed before it was read to its end"

  nonisolated func stopper() -> @Sendable () -> Void {
    { [query] in query.interrupt() }
  }
}
