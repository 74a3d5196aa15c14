/// Decides how much of a file to read at a time if each read has a price of its own: a request, a
/// seek.
///
/// ``HeaderReader/reading`` requests the few bytes that it needs next. The bytes after them are
/// mostly needed, too, so one read covers more, but not so much that a jump would have been
/// cheaper. It is a value and only counts; it reads nothing.
public struct ReadAhead: Sendable {
  /// Bytes of the first read, from the file's beginning.
  public var first: Int
  /// Bytes of each further read.
  public var hop: Int
  /// The number of reads with those lengths. From then on, a range close by is reached by reading
  /// on, in one read of four hops, then one of eight, and so on: with this many jumps, one long
  /// piece is faster. A range far ahead takes a quarter of a hop: after four large segments another
  /// one is likely.
  public var hops: Int
  /// Ceilings for one file. Requests beyond them are not read.
  public var mostReads: Int
  public var mostBytes: Int

  /// The number of reads so far.
  public private(set) var reads = 0
  private var bytes = 0
  /// Where the last read ended, and the length of the next long one.
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

  /// For a server. The size of a JPEG follows its Exif block, mostly after some kilobytes, and then
  /// within a few hundred bytes: one jump leads there. Without Exif, mostly the sRGB profile of
  /// 3,144 bytes precedes it. With these lengths 179 images of 118 kinds of cameras take 4.2 kB in
  /// 2.4 requests on average (99 % at most 10.5 kB), 883 other JPEGs 3.6 kB in 1.13; most other
  /// formats take one. A first read of 3 kB costs a twentieth of a request more and saves 0.4 kB.
  /// (`Tests/Benchmarks/layouts.tsv` lists the layouts of these files; a test checks the figures.)
  public static let network = ReadAhead(
    first: 3584, hop: 768, hops: 4, mostReads: 32, mostBytes: 4 << 20)

  /// For a disk, which reads at least 4 kB at a time. The first read is as long as a server's, so
  /// that both reach the same answer if the bytes at hand decide.
  public static let disk = ReadAhead(
    first: network.first, hop: 4096, hops: 16, mostReads: 1000, mostBytes: 64 << 20)

  /// The range to read next; nil if a ceiling is reached.
  ///
  /// - Parameter wanted: the range that the reader requests; the answer contains it.
  public mutating func next(for wanted: Range<Int>) -> Range<Int>? {
    guard reads < mostReads, wanted.count <= mostBytes - bytes else { return nil }
    var length = reads == 0 ? first : hop
    if reads >= hops {
      if (end..<end + stretch).contains(wanted.lowerBound) {
        length = stretch
        // 16 MiB is as far as a stream is searched, too.
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
