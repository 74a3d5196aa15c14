/// The tiles of an image: squares of 64 pixels, the last column and row from 32 to 95.
struct TileGrid: Sendable {
  static let side = 64
  /// At this scale and coarser ones, a tile would have too few pixels for a mean.
  static let firstSharedScale = 4

  private let columnCount: Int
  private let rowCount: Int
  private let width: Int
  private let height: Int

  init(width: Int, height: Int) {
    self.width = width
    self.height = height
    columnCount = max(1, (width + Self.side / 2) / Self.side)
    rowCount = max(1, (height + Self.side / 2) / Self.side)
  }

  var count: Int { columnCount * rowCount }

  /// Where the tiles' columns begin at a scale, and where the last one ends. A coarse scale has one.
  func columns(at scale: Int) -> [Int] { bounds(columnCount, length: width, scale: scale) }
  func rows(at scale: Int) -> [Int] { bounds(rowCount, length: height, scale: scale) }

  private func bounds(_ count: Int, length: Int, scale: Int) -> [Int] {
    let unit = 1 << scale
    let tiles = scale < Self.firstSharedScale ? count : 1
    return (0..<tiles).map { $0 * (Self.side / unit) } + [(length + unit - 1) / unit]
  }

  /// The pixels of a tile at a scale.
  func area(of tile: Int, at scale: Int = 0) -> (x: Range<Int>, y: Range<Int>) {
    let (columns, rows) = (columns(at: scale), rows(at: scale))
    let (column, row) = (tile % (columns.count - 1), tile / (columns.count - 1))
    return (columns[column]..<columns[column + 1], rows[row]..<rows[row + 1])
  }
}
