import TesseraManifest
import TesseraPipelineFile
import TesseraTestSupport
import Testing

@testable import TesseraPipeline

@Suite struct HostLinesTests {
  private let queue = KeyedQueue()

  private func entry(_ id: Int, of host: String) -> HostLines.Entry {
    let item = Item(
      ManifestEntry(line: 1, id: "\(id)", url: "https://\(host)/\(id)"), position: id,
      PipelineFile.fetch())
    return HostLines.Entry(item, nil, queue.place(item.sourceKey))
  }

  @Test func itemsBeyondTheLimitOfTheirHostWaitInTheirOrder() {
    let lines = HostLines(limit: 2)
    let entries = (0..<4).map { entry($0, of: "a.example") }
    #expect(entries.map { lines.enter($0) } == [true, true, false, false])
    #expect(lines.enter(entry(4, of: "b.example")), "another host has room of its own")
    #expect(lines.next(after: entries[1]) === entries[2])
    #expect(lines.next(after: entries[0]) === entries[3])
    #expect(lines.next(after: entries[2]) == nil)
    // There is room for one now.
    let (fifth, sixth) = (entry(5, of: "a.example"), entry(6, of: "a.example"))
    #expect(lines.enter(fifth))
    #expect(!lines.enter(sixth))
    #expect(lines.next(after: entries[3]) === sixth)
    #expect(lines.next(after: fifth) == nil)
    #expect(lines.next(after: sixth) == nil)
    #expect([7, 8].map { lines.enter(entry($0, of: "a.example")) } == [true, true])
  }

  /// Items enter while others end, as in a run.
  @Test(arguments: [1, 2, 3]) func eachItemIsWorkedOnOnce(_ seed: UInt64) async {
    struct Work {
      var now: [String: Int] = [:]
      var most: [String: Int] = [:]
      var done: [Int] = []
    }
    let lines = HostLines(limit: 5)
    let work = Counter(Work())
    var random = SplitMix(seed: seed)
    await withTaskGroup { group in
      for number in 0..<2_000 {
        let first = entry(number, of: "h\(random.next() % 3).example")
        let pauses = Int(random.next() % 8)
        guard lines.enter(first) else { continue }
        group.addTask {
          var next = first as HostLines.Entry?
          while let entry = next {
            let host = entry.item.host
            work.update { work in
              work.now[host, default: 0] += 1
              work.most[host] = max(work.most[host] ?? 0, work.now[host] ?? 0)
            }
            for _ in 0..<pauses { await Task.yield() }
            work.update { work in
              work.now[host, default: 0] -= 1
              work.done.append(entry.item.position)
            }
            next = lines.next(after: entry)
          }
        }
      }
    }
    let result = work.value
    #expect(result.done.sorted() == Array(0..<2_000))
    #expect(result.most.count == 3)
    #expect(result.most.values.allSatisfy { $0 <= 5 })
  }
}
