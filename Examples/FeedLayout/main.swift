// Lays out a feed on three screens before any image has loaded, and lists the files that each screen
// would fetch first.
//
//     swift run FeedLayout CATALOG
//
// A hero spans the whole width. Cards follow in columns: each has the height of its image and goes to
// the column that is currently the shortest. An app would draw the frames that this program prints.
// Nothing here uses the network.
import Foundation
import TesseraCatalog

struct Screen {
  var name: String
  /// Points.
  var width: Int
  var height: Int
  /// Device pixels per point.
  var scale: Double
  var columns: Int
}

struct Frame {
  var image: CatalogEntry
  var x: Int
  var y: Int
  var size: CatalogSize
  /// The file to show; nil if there is none.
  var file: ImageFile?
}

/// The frames of the feed from top to bottom, computed from the catalog alone.
func layout(_ images: [CatalogEntry], on screen: Screen) -> [Frame] {
  let gap = 8
  var frames: [Frame] = []
  var top = 0
  // The first landscape image is the hero.
  let hero = images.firstIndex { ($0.aspectRatio ?? 0) > 1 }
  if let hero {
    let box = CatalogBox(
      width: Double(screen.width), height: Double(screen.height / 3), mode: .clip)
    if let size = images[hero].box(in: box) {
      let file = images[hero].file(for: box, scale: screen.scale)
      frames.append(Frame(image: images[hero], x: 0, y: 0, size: size, file: file))
      top = size.height + gap
    }
  }
  let width = (screen.width - gap * (screen.columns - 1)) / screen.columns
  var bottoms = [Int](repeating: top, count: screen.columns)
  for (place, image) in images.enumerated() where place != hero {
    let box = CatalogBox(width: Double(width), height: nil)
    // An image without a size is shown as a line of text; 44 points is the usual minimum height of a
    // row that users can tap.
    let size = image.box(in: box) ?? CatalogSize(width: width, height: 44)
    let column = bottoms.indices.min { bottoms[$0] < bottoms[$1] } ?? 0
    let file = image.file(for: box, scale: screen.scale)
    frames.append(
      Frame(image: image, x: column * (width + gap), y: bottoms[column], size: size, file: file))
    bottoms[column] += size.height + gap
  }
  return frames
}

func line(_ frame: Frame) -> String {
  let place = "\(frame.x),\(frame.y) \(frame.size.width)x\(frame.size.height)"
  let shown =
    switch frame.image.appearance(in: .loading, file: frame.file) {
    case .placeholder(.thumbhash): "thumbhash"
    case .placeholder(.blurhash): "blurhash"
    case .placeholder(.color(let color)): color
    case .empty: "empty"
    case .image: "image"
    case .failure(let error): "failed: \(error?.message ?? "")"
    }
  return "  \(frame.image.id)  \(place)  \(shown)  \(frame.file?.reference ?? "-")"
}

let screens = [
  Screen(name: "phone", width: 390, height: 844, scale: 3, columns: 2),
  Screen(name: "tablet", width: 820, height: 1180, scale: 2, columns: 3),
  Screen(name: "desktop", width: 1440, height: 900, scale: 1, columns: 5),
]

guard CommandLine.arguments.count == 2 else {
  FileHandle.standardError.write(Data("usage: FeedLayout CATALOG\n".utf8))
  exit(64)
}
do {
  let data = try Data(contentsOf: URL(filePath: CommandLine.arguments[1]))
  // A device of today; what an older one does not show has no file here.
  let index = try CatalogIndex(
    reading: Array(data), accepting: SupportedTypes.iOS(17),
    from: "https://example.com/feed/catalog.json")
  let images = Array(index.images)
  for screen in screens {
    print("\(screen.name), \(screen.width) x \(screen.height) points at \(screen.scale):")
    let frames = layout(images, on: screen)
    let visible = frames.filter { $0.y < screen.height }
    let upcoming = frames.filter { $0.y >= screen.height }
    for frame in visible { print(line(frame)) }
    // A first screen appears at once, so it is one group.
    let next = Prefetch().step(
      visible: [visible.compactMap(\.file)], upcoming: upcoming.compactMap(\.file),
      inFlight: [], isLoaded: { _ in false }
    ).start
    print("  first: \(next.count) files")
    for request in next { print("    \(request.file.reference)") }
  }
} catch {
  FileHandle.standardError.write(Data("\(CommandLine.arguments[1]): \(error)\n".utf8))
  exit(2)
}
