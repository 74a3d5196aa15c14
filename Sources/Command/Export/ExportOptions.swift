/// How an export is made.
struct ExportOptions: Sendable {
  /// The slots to export, each once; none means all.
  var slots: [String] = []
  /// How many images of a page are loaded at once and first.
  var eager = 0
  /// Whether images of a page grow with it, up to the width of their slot.
  var isFluid = false
  /// Whether visitors who ask for less data get the smallest file, on every screen.
  var reducesData = false
  /// The language of the texts in a page (RFC 5646).
  var language = "en"
  /// The nonce of a style sheet inside the page; nil for a file beside it.
  var nonce: String?
  /// Whether the elements are written as JSON, by image and slot.
  var asFragments = false
  /// Whether what an earlier export wrote is replaced.
  var replaces = false

  init() {}
}
