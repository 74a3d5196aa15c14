internal import TesseraManifest
internal import TesseraOutput
package import TesseraPipelineFile
internal import TesseraSystem

/// A run of a pipeline, from the manifest to the catalog:
///
///     manifest ──> item ──> item ──> …             Manifest/: lines become items
///                   │                              Schedule/: how many at once, in which order
///                   │  the steps of its ItemPipeline             Item/: what is known and decided of one item
///                   ▼
///                  catalog.json, run.json          Catalog/, Reports/
///
/// Many items are in flight at once, so that network and processors are busy together. Their number
/// and their memory are bounded, so that memory does not grow with the manifest.
package struct Pipeline: Sendable {
  let file: PipelineFile
  let extent: RunExtent
  let options: RunOptions

  package init(_ file: PipelineFile, _ extent: RunExtent = .everything, _ options: RunOptions) {
    self.file = file
    // An image service makes the variants from their sizes alone.
    self.extent = file.deliveringService == nil ? extent : .layout
    self.options = options
  }

  /// The path of what a run writes last: the catalog, or the result of its shard.
  package var resultPath: String {
    options.shard.map {
      FileSystem.join(file.output, ShardHeader.path($0.index, of: $0.count))
    } ?? file.catalogPath
  }

  static func itemPipeline(_ extent: RunExtent, _ runContext: RunContext) -> any ItemPipeline {
    switch extent {
    case .everything: FilesPipeline(runContext)
    case .layout: SizesPipeline(runContext)
    }
  }
}
