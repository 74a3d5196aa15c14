internal import TesseraBytes
internal import TesseraCatalog
package import TesseraSystem

/// A folder of pages: `catalog`, of all images, or that of a screen, `screens/feed`:
///
///     index.json       names the pages in the order of the images
///     lookup.json      of a screen: names pages by the hashes of ids, so that an image is found in one of them
///     first.json       of a screen: a copy of the first page, under a name that an app knows
///     3f9c….json       a page
///     from-3f9c….json  of a screen: patches of pages for an app that has those of another catalog
package struct PageFolder: Sendable, Equatable, Hashable {
  /// Relative to the output.
  package let path: String

  package static let whole = PageFolder(path: "catalog")
  static let screens = "screens"

  static func screen(_ name: String) -> PageFolder { PageFolder(path: "\(screens)/\(name)") }

  package var index: String { "\(path)/index.json" }
  var lookup: String { "\(path)/lookup.json" }
  var first: String { "\(path)/first.json" }
  func page(_ bytes: [UInt8]) -> String { "\(path)/\(SHA256.of(bytes).prefix(32)).json" }

  /// The folders that an output has.
  package static func all(in output: any Output) async throws(SystemError) -> [PageFolder] {
    var folders = [whole]
    do throws(SystemError) {
      for entry in try await output.listIfThere(screens) where entry.kind == .folder {
        if CatalogScreen.isName(entry.name) { folders.append(screen(entry.name)) }
      }
    } catch {
      // Not made by a run.
      guard error.isLink else { throw error }
    }
    return folders
  }

  /// That of a document; nil for what is in none.
  static func of(_ path: String) -> (folder: PageFolder, name: Substring)? {
    let parts = path.split(separator: "/", omittingEmptySubsequences: false)
    switch parts.count {
    case 2 where parts[0] == whole.path: return (whole, parts[1])
    case 3 where parts[0] == screens && CatalogScreen.isName(parts[1]):
      return (screen(String(parts[1])), parts[2])
    default: return nil
    }
  }

  /// Whether a path is that of a document that is replaced together with the catalog.
  package static func isCompanion(_ path: String) -> Bool {
    guard let (folder, _) = of(path) else { return false }
    return path == folder.index
      || folder != .whole && (path == folder.lookup || path == folder.first)
  }

  /// The order in which companions are written: indices first, because a copy of a first page belongs to the index that is
  /// there.
  static func isBefore(_ one: String, _ other: String) -> Bool {
    isIndex(one) == isIndex(other) ? one < other : isIndex(one)
  }

  /// Whether a companion names pages.
  static func isIndex(_ path: String) -> Bool {
    isCompanion(path) && !path.hasSuffix("/first.json")
  }

  /// The companions that belong to the catalog if an index does: that index, and what it names without a digest.
  static func companions(with index: String) -> [String] {
    guard let (folder, _) = of(index), folder != .whole, index == folder.index else {
      return [index]
    }
    return [index, folder.first]
  }

  /// Those companions that an output has.
  package static func companions(in output: any Output) async throws(SystemError) -> [String] {
    var found: [String] = []
    for folder in try await all(in: output) {
      // One look for those of a folder.
      let paths = [folder.index, folder.lookup, folder.first].filter(isCompanion)
      let sizes = try await output.sizes(of: paths)
      // Another program may have a folder of this name.
      if folder != .whole {
        guard sizes[0] != nil, try await PageIndex.isOurs(folder.index, in: output) else {
          continue
        }
      }
      for (path, size) in zip(paths, sizes) where size != nil { found.append(path) }
    }
    return found
  }

  /// The indices that an output has, with their paths.
  package static func indices(
    in output: any Output
  ) async throws(SystemError) -> [(path: String, index: PageIndex)] {
    var found: [(String, PageIndex)] = []
    for path in try await companions(in: output) where isIndex(path) {
      if let index = try await PageIndex.read(path, in: output) { found.append((path, index)) }
    }
    return found
  }
}
