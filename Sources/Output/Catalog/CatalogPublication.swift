package import TesseraCatalog
internal import TesseraJSON
internal import TesseraSystem

/// In what parts a catalog is published besides the whole.
package struct CatalogPublication: Sendable, Equatable {
  /// About how many images a page of the catalog has; nil for no pages.
  package var pages: Int?
  package var screens: [CatalogScreen]

  package init(pages: Int? = nil, screens: [CatalogScreen] = []) {
    (self.pages, self.screens) = (pages, screens)
  }

  /// - Parameters:
  ///   - head: that of the catalog, as one line of JSON.
  ///   - count: the number of its images.
  func writers(
    head: [UInt8], count: Int, in workspace: Workspace
  ) throws(SystemError) -> [any PartWriter] {
    let catalog: Catalog
    do throws(CatalogError) {
      catalog = try Catalog(readingHead: head)
    } catch {
      throw .damaged("catalog", "\(error)")
    }
    var writers: [any PartWriter] = []
    if let pages { writers.append(try WholeWriter(pages, of: catalog, in: workspace)) }
    for screen in screens {
      writers.append(try ScreenWriter(screen, of: catalog, count: count, in: workspace))
    }
    return writers
  }

  /// The members of a shard's header.
  func write(to object: inout JSONWriter) {
    if let pages { object.member("pages", pages) }
    guard !screens.isEmpty else { return }
    object.name("screens")
    object.array { list in
      for screen in screens {
        list.object { entry in
          entry.member("name", screen.name)
          entry.member("first", screen.first)
          entry.member("pages", screen.pages)
          entry.name("slots")
          entry.array { names in for slot in screen.selection.slots { names.value(slot) } }
          if let types = screen.selection.types {
            entry.name("types")
            entry.array { names in for type in types { names.value(type) } }
          }
          if let scales = screen.selection.scales {
            entry.name("scales")
            entry.array { numbers in for scale in scales { numbers.value(scale) } }
          }
        }
      }
    }
  }

  /// From the members of a shard's header.
  init(_ json: JSONValue) {
    pages = json["pages"]?.intValue
    screens = (json["screens"]?.arrayValue ?? []).compactMap { screen in
      guard let name = screen["name"]?.stringValue, let first = screen["first"]?.intValue,
        let pages = screen["pages"]?.intValue, let slots = screen["slots"]?.arrayValue
      else { return nil }
      return CatalogScreen(
        name: name,
        selection: CatalogSelection(
          slots: slots.compactMap(\.stringValue),
          types: screen["types"]?.arrayValue?.compactMap(\.stringValue),
          scales: screen["scales"]?.arrayValue?.compactMap(\.intValue)),
        first: first, pages: pages)
    }
  }
}
