internal import TesseraJSON

extension RunForecast {
  /// The document that `plan --only… --json` prints.
  package var document: [UInt8] { Document(next: self).json }

  private struct Document: JSONDocument {
    let schema = "tessera-plan/1"
    let next: RunForecast
  }
}

/// The members of the document that `plan --json` prints about the next run.
extension RunForecast: Encodable {
  private struct Members: Encodable {
    let images: Images
    let stop: String?
    let expected, most: Work
    let disk: Files
    let free: Free?
  }

  private struct Images: Encodable {
    let total: Int
    let before: Int?
    let new, changed, gone, fresh, revalidated, fetched, copied, retried, forgotten, problems: Int
  }

  private struct Free: Encodable {
    let bytes: Int
    let inodes: Int?
    let suffices: Bool
  }

  package func encode(to encoder: any Encoder) throws {
    try Members(
      images: Images(
        total: images, before: before, new: new, changed: changed, gone: gone, fresh: fresh,
        revalidated: revalidated, fetched: fetched, copied: copied, retried: retried,
        forgotten: forgotten, problems: problems),
      stop: stop, expected: expected, most: most, disk: disk,
      free: room.map { room in
        Free(bytes: room.bytes, inodes: room.inodes, suffices: isDiskShort == (false, false))
      }
    ).encode(to: encoder)
  }
}
