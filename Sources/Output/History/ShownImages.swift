internal import TesseraJSON
package import TesseraSystem
internal import TesseraText

/// The ids of the images that an output's catalog shows: those with the status `ok` or `stale`. Read a part at a
/// time, so that memory does not grow with the catalog.
package struct ShownImages {
  private var texts: CatalogTexts

  private static let batch = 1_000

  /// Nil if the output has no catalog.
  package init?(in output: any Output) async throws(SystemError) {
    guard try await CurrentCatalog.isThere(in: output) else { return nil }
    texts = CatalogTexts(CurrentCatalog.path, in: output)
  }

  /// The next ids; nil after the last. What follows damage counts as not there.
  package mutating func next() async throws(SystemError) -> [String]? {
    var ids: [String] = []
    do throws(SystemError) {
      while ids.count < Self.batch, let image = try await texts.next() {
        if let id = Self.shownID(image) { ids.append(id) }
      }
    } catch {
      guard error.isDamage else { throw error }
    }
    return ids.isEmpty ? nil : ids
  }

  /// The id of an image; nil if it is not shown.
  private static func shownID(_ image: [UInt8]) -> String? {
    var (id, status) = (nil as String?, nil as String?)
    do throws(JSONScanner.Failure) {
      var scanner = JSONScanner(image)
      try scanner.members { scanner, name, _ throws(JSONScanner.Failure) in
        switch name {
        case "id": id = try scanner.string()
        case "status": status = try scanner.string()
        default: try scanner.skip()
        }
      }
    } catch {
      return nil
    }
    return status.map(CatalogLine.shownStatuses.contains) == true ? id : nil
  }
}

/// How many of the images that a catalog shows another one would not show any more. Images that are gone from the
/// manifest count neither way.
package struct LossCount: Sendable, Equatable {
  package private(set) var shown = 0
  package private(set) var lost = 0

  /// A few lost images mean nothing.
  private static let fewest = 5

  package init() {}

  /// Counts the images that an output's catalog shows.
  ///
  /// - Parameter stay: whether the new catalog shows images, too; nil for each that it does not have.
  package init(
    in output: any Output, _ stay: ([String]) async throws -> [Bool?]
  ) async throws {
    guard var images = try await ShownImages(in: output) else { return }
    while let ids = try await images.next() {
      for stays in try await stay(ids).compactMap(\.self) {
        shown += 1
        if !stays { lost += 1 }
      }
    }
  }

  /// Whether the images that a new catalog hides can be too many at all: then the current one has to be read.
  ///
  /// - Parameters:
  ///   - hidden: images of the new catalog that it does not show.
  ///   - shown: images that it shows.
  package static func isOfInterest(hidden: Int, shown: Int) -> Bool {
    hidden >= fewest || (hidden > 0 && shown == 0)
  }

  package func sentence(limit: Double) -> String {
    lost == shown
      ? "the new catalog would show none of the \(shown) images that the current one shows"
      : "the new catalog would lose \(lost) of the \(shown) images that the current one shows, which is more than "
        + "lost-above: \(Units.text(percentage: limit))"
  }

  /// Whether more is lost than a share allows, in per cent, or all. At 100 anything may be lost.
  package func isAbove(_ limit: Double) -> Bool {
    guard lost > 0, limit < 100 else { return false }
    return lost == shown || (lost >= Self.fewest && Double(lost) * 100 > limit * Double(shown))
  }
}
