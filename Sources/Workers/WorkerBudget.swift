/// How many workers a run has, and how much memory each of them may use. A pure value.
package struct WorkerBudget: Sendable, Equatable {
  package let count: Int
  /// The address space of one worker, in bytes.
  package let memory: Int

  /// For the coordinator and the kernel's caches, in bytes.
  private static let reserve = 256_000_000
  /// With less, libvips and its codecs fail on ordinary photographs.
  private static let least = 512_000_000

  /// - Parameters:
  ///   - requested: the number of workers that the user named; nil for one per processor.
  ///   - memory: the limit that the user named for one worker, in bytes.
  ///   - available: the memory that all processes together may use, in bytes; nil if nothing limits
  ///     it.
  package init(requested: Int?, processors: Int, memory: Int, available: Int?) {
    guard let available else {
      (count, self.memory) = (requested ?? processors, memory)
      return
    }
    let shared = max(0, available - Self.reserve)
    let least = min(memory, Self.least)
    // Fewer workers rather than workers that can decode nothing, unless the user has decided.
    count = requested ?? max(1, min(processors, shared / least))
    self.memory = min(memory, max(least, shared / count))
  }
}
