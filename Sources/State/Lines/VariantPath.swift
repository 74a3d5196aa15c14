/// The parts of a path of a variant: `variants/5a/5ab2…-64x48.webp`.
struct VariantPath {
  static let digestBytes = 16
  private static let folder = Array("variants/".utf8)

  /// The first bytes of the digest.
  let digest: [UInt8]
  /// Where their digits are, with the name of the folder.
  let digits: Range<Int>
  /// Where the width and the height are.
  let sides: [Range<Int>]

  /// Nil if it is another path. Places are those in the slice.
  init?(_ path: ArraySlice<UInt8>) {
    let folder = path.startIndex + Self.folder.count
    let name = folder + 3
    let end = name + Self.digestBytes * 2
    guard path.starts(with: Self.folder), path.endIndex > end,
      path[folder..<folder + 2] == path[name..<name + 2], path[folder + 2] == UInt8(ascii: "/"),
      let digest = PackedKey.pack(path[name..<end])
    else { return nil }
    (self.digest, digits) = (digest, folder..<end)
    // What is between digits.
    var marks: [UInt8] = []
    var sides: [Range<Int>] = []
    var place = end
    while place < path.endIndex {
      let number = path[place...].prefix { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }
      if number.isEmpty {
        marks.append(path[place])
        place += 1
      } else {
        sides.append(number.indices)
        place = number.endIndex
      }
    }
    guard sides.count == 2, marks.starts(with: "-x.".utf8),
      marks.dropFirst(3).allSatisfy({ UInt8(ascii: "a")...UInt8(ascii: "z") ~= $0 })
    else { return nil }
    self.sides = sides
  }
}
