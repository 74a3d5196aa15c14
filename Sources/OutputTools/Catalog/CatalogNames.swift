internal import TesseraCatalog
internal import TesseraOutput
internal import TesseraText

/// Names in the catalog of an output on this machine, for a shell that completes a word.
package enum CatalogNames {
  /// More would not be read on a screen.
  private static let most = 200
  /// A person waits for the answer.
  private static let time = Duration.seconds(1)

  /// The slots whose names begin with `prefix`, in alphabetical order. None if there is no catalog.
  package static func slots(of output: String, prefix: String) -> [String] {
    guard !OpenOutput.isInStore(output),
      let head = try? CatalogFile(at: output).head()
    else { return [] }
    return head.slots.keys.filter { $0.begins(with: prefix) }.sorted()
  }

  /// The first ids that begin with `prefix`, in the catalog's order, and with the ids their status. In a very
  /// long catalog only those that can be read in a second.
  package static func ids(of output: String, prefix: String) -> [(id: String, status: String)] {
    let end = ContinuousClock.now + time
    var found: [(id: String, status: String)] = []
    guard !OpenOutput.isInStore(output), var lines = try? CatalogFile(at: output).lines() else {
      return []
    }
    while found.count < most, ContinuousClock.now < end, let image = try? lines.next() {
      guard let id = image.id, id.begins(with: prefix) else { continue }
      found.append((id, image.status ?? ""))
    }
    return found
  }
}
