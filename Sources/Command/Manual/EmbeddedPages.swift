private import TesseraCPages

/// The files that are parts of the program.
enum EmbeddedPages {
  /// The pages of `Pipelines`, in the order in which help lists them.
  static var all: [(topic: String, text: String)] {
    var pages: [(topic: String, text: String)] = []
    var page = tessera_pages()
    while let one = page?.pointee, let topic = one.topic {
      pages.append((String(cString: topic), String(cString: one.text)))
      page = page?.successor()
    }
    return pages
  }

  /// The page that `gallery` fills.
  static var gallery: [UInt8] { Array(String(cString: tessera_gallery()).utf8) }
}
