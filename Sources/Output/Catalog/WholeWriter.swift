internal import TesseraCatalog
internal import TesseraJSON
internal import TesseraSystem

/// The pages of all images.
final class WholeWriter: PartWriter {
  private let pages: PageWriter
  private let ends: PageEnds

  init(_ size: Int, of head: Catalog, in workspace: Workspace) throws(SystemError) {
    var head = head
    // A table that changes would change all pages.
    head.tables = nil
    pages = try PageWriter(.whole, head: head.sortedHeadLine, in: workspace.staging("pages"))
    ends = PageEnds(size: size)
  }

  func add(_ line: [UInt8], canonical: [UInt8]) throws(SystemError) {
    pages.add(line, canonical: canonical)
    let id = (try? JSONParser.parse(canonical))?["id"]?.stringValue ?? ""
    if ends.end(after: IDHash(id), count: pages.count) { try pages.endPage() }
  }

  func publish(
    to output: any Output, digest: String
  ) async throws(SystemError) -> [String: [UInt8]] {
    let (index, _) = try await pages.publish(to: output, digest: digest)
    return [PageFolder.whole.index: index.document]
  }
}
