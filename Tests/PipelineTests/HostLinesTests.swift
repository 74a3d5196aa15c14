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
    #expect(entries.map { lines.add($0) } == [true, true, false, false])
    let other = entry(4, of: "b.example")
    #expect(lines.add(other), "another host has tasks of its own")
    for entry in entries { #expect(lines.next(of: "a.example") === entry) }
    #expect(lines.next(of: "b.example") === other)
    #expect(lines.next(of: "a.example") == nil)
    // One of the two tasks has ended.
    let later = (5..<7).map { entry($0, of: "a.example") }
    #expect(later.map { lines.add($0) } == [true, false])
    for entry in later { #expect(lines.next(of: "a.example") === entry) }
    #expect([0, 1].map { _ in lines.next(of: "a.example") == nil } == [true, true])
    #expect([7, 8].map { lines.add(entry($0, of: "a.example")) } == [true, true])
  }

  /// Items are added while others end, as in a run.
  @Test(arguments: [1, 2, 3]) func eachItemIsWorkedOnOnce(_ seed: UInt64) async {
    struct Work {
      var now: [String: Int] = [:]
      var most: [String: Int] = [:]
      var done: [Int] = []
    }
    let lines = HostLines(limit: 5)
    let work = Counter(Work())
    var random = SplitMix(seed: seed)
    // Tasks that are to be started, by their hosts.
    var tasks: [String] = []
    await withTaskGroup { group in
      for number in 0..<2_000 {
        let host = "h\(random.next() % 3).example"
        if lines.add(entry(number, of: host)) { tasks.append(host) }
        if number < 1_000 { continue }
        if number == 1_000 { #expect(tasks.count == 15) }
        for host in tasks {
          let pauses = Int(random.next() % 8)
          group.addTask {
            while let entry = lines.next(of: host) {
              work.update { work in
                work.now[host, default: 0] += 1
                work.most[host] = max(work.most[host] ?? 0, work.now[host] ?? 0)
              }
              for _ in 0..<pauses { await Task.yield() }
              work.update { work in
                work.now[host, default: 0] -= 1
                work.done.append(entry.item.position)
              }
            }
          }
        }
        tasks = []
      }
    }
    let result = work.value
    #expect(result.done.sorted() == Array(0..<2_000))
    #expect(result.most.count == 3)
    #expect(result.most.values.allSatisfy { $0 <= 5 })
  }
}
