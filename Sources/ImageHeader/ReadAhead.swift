/// Decides how much of a file to read at a time where each read has a price of its own: a request,
/// a seek.
///
/// ``HeaderReader/reading`` asks for the few bytes that it needs next. What follows them is mostly
/// needed, too, so more is read at once, but not so much that a jump would have been cheaper. A
/// value: it only counts.
public struct ReadAhead: Sendable {
  /// Bytes of the first read, from the file's beginning.
  public var first: Int
  /// Bytes of each further read.
  public var hop: Int
  /// So many reads are of those lengths. From then on, what lies close by is reached by reading on,
  /// by one read of four hops, then one of eight, and so on: who jumps about like this is sooner done
  /// with one piece. What lies far ahead costs a quarter of a hop: behind four large segments comes a
  /// fifth.
  public var hops: Int
  /// Ceilings for one file. What is asked for beyond them is not read.
  public var mostReads: Int
  public var mostBytes: Int

  /// Reads that were given out.
  public private(set) var reads = 0
  private var bytes = 0
  /// Where the last one ended, and how long the next long one is.
  private var end = 0
  private var stretch: Int

  public init(first: Int, hop: Int, hops: Int, mostReads: Int, mostBytes: Int) {
    self.first = first
    self.hop = hop
    self.hops = hops
    self.mostReads = mostReads
    self.mostBytes = mostBytes
    stretch = hop * 4
  }

  /// For a server. A JPEG's size stands behind its Exif block, mostly some kilobytes on, and then
  /// within a few hundred bytes: one jump leads there. Without Exif, what stands before it is mostly
  /// the sRGB profile of 3,144 bytes. With these lengths 179 pictures of 118 kinds of cameras take
  /// 4.2 kB in 2.4 requests on average (99 % at most 10.5 kB), 883 other JPEGs 3.6 kB in 1.13; most
  /// other formats take one. A first read of 3 kB costs a twentieth of a request more for 0.4 kB less.
  /// (`Tests/Benchmarks/layouts.tsv` holds how these files are laid out, a test the figures.)
  public static let network = ReadAhead(
    first: 3584, hop: 768, hops: 4, mostReads: 32, mostBytes: 4 << 20)

  /// For a disk, which reads 4 kB at the least. The first read is as long as a server's, so that both
  /// come to the same answer where what is at hand counts.
  public static let disk = ReadAhead(
    first: network.first, hop: 4096, hops: 16, mostReads: 1000, mostBytes: 64 << 20)

  /// The range to read next, or nil where a ceiling is reached.
  ///
  /// - Parameter wanted: what the reader asks for; it is part of the answer.
  public mutating func next(for wanted: Range<Int>) -> Range<Int>? {
    guard reads < mostReads, wanted.count <= mostBytes - bytes else { return nil }
    var length = reads == 0 ? first : hop
    if reads >= hops {
      if (end..<end + stretch).contains(wanted.lowerBound) {
        length = stretch
        stretch = min(stretch * 2, 1 << 24)
      } else {
        length = hop / 4
      }
    }
    length = min(max(wanted.count, length), mostBytes - bytes)
    reads += 1
    bytes += length
    end = wanted.lowerBound + length
    return wanted.lowerBound..<end
  }
}
