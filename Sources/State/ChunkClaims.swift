internal import Synchronization

/// Which chunks of the last catalog a run copies, and which it does not, because an item has left them.
package final class ChunkClaims: Sendable {
  package let parent: ChunkIndex
  private let progress: Mutex<Progress>

  private struct Progress {
    /// The first line in the manifest of each chunk that is copied, by its place; 0 for the others, and less for those that
    /// items have left.
    var lines: [Int32]
    /// The numbers of the other chunks of the run.
    var begun: Set<Int> = []
    /// Items of the last completed run that this one has.
    var kept = 0

    /// One that is copied already stays.
    mutating func leave(_ place: Int) { if lines[place] == 0 { lines[place] = -1 } }
  }

  package init(_ parent: ChunkIndex) {
    self.parent = parent
    progress = Mutex(Progress(lines: [Int32](repeating: 0, count: parent.count)))
  }

  /// Has a chunk copied, whose first line in the manifest is `line`. Returns false if that is not possible any more.
  package func stand(_ place: Int, line: Int) -> Bool {
    guard let count = parent.chunk(at: place)?.count else { return false }
    return progress.withLock { progress in
      guard progress.lines[place] == 0 else { return false }
      progress.lines[place] = Int32(clamping: line)
      progress.kept += count
      return true
    }
  }

  /// Notes that an item of a chunk is in another one now.
  package func leave(_ number: Int) {
    guard let place = parent.place(of: number) else { return }
    progress.withLock { $0.leave(place) }
  }

  /// The number of a new chunk: that of its key, unless the run has another one with it. The parent's with this number is not
  /// copied any more.
  func begin(_ number: Int?, or other: Int) -> Int {
    let place = number.flatMap { parent.place(of: $0) }
    return progress.withLock { progress in
      let isCopied = place.map { progress.lines[$0] > 0 } ?? false
      let number = number.flatMap { isCopied || progress.begun.contains($0) ? nil : $0 } ?? other
      progress.begun.insert(number)
      if let place { progress.leave(place) }
      return number
    }
  }

  /// Whether an item of a chunk is in another one now, by the chunk's place.
  package func hasLeft(_ place: Int) -> Bool { progress.withLock { $0.lines[place] < 0 } }

  /// The places of the parent's chunks that are not copied.
  package var left: [Int] {
    progress.withLock { progress in progress.lines.indices.filter { progress.lines[$0] <= 0 } }
  }

  package func keep() { progress.withLock { $0.kept += 1 } }

  /// Items of the last completed run that this one has.
  package var kept: Int { progress.withLock(\.kept) }

  /// The first line in the manifest of a chunk that is copied; nil for others.
  package func standingLine(of number: Int) -> Int? {
    guard let place = parent.place(of: number) else { return nil }
    return progress.withLock { $0.lines[place] > 0 ? Int($0.lines[place]) : nil }
  }
}
