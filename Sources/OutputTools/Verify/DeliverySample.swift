internal import TesseraCatalog

/// Some of the files that an image service makes: each has the same chance (reservoir sampling: Vitter,
/// Algorithm R, 1985).
struct DeliverySample {
  private(set) var files: [DeliveredFile] = []
  private let size: Int
  private var seen = 0

  init(of size: Int) { self.size = size }

  mutating func add(_ image: CatalogImage) {
    for file in DeliveredFile.all(of: image) {
      seen += 1
      if files.count < size {
        files.append(file)
      } else {
        let place = Int.random(in: 0..<seen)
        if place < size { files[place] = file }
      }
    }
  }
}
