import TesseraCatalog

/// What most tests ask of a variant: its preferred file.
extension CatalogVariant {
  var path: String? { files.first?.path }
  var url: String? { files.first?.url }
  var type: String { files.first?.type ?? "" }
  var bytes: Int? { files.first?.bytes }
  var sha256: String? { files.first?.sha256 }
  var quality: Int? { files.first?.quality }
  /// The same image in the other formats, in their order of preference.
  var also: ArraySlice<File> { files.dropFirst() }
  /// Whether the source's own URL takes the place of what an image service can't make.
  var isOriginal: Bool { files.last?.format == nil }
}
