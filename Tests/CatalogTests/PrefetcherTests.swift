import TesseraCatalog
import TesseraCatalogFoundation
import Testing

/// What a prefetcher starts and cancels. What a step is, the shared cases say.
@MainActor @Suite struct PrefetcherTests {
  /// A loader that writes down what it has to do.
  @MainActor private final class Loader {
    var log: [String] = []
    var cached: Set<String> = []
    /// Of each request, in order: what its file's end calls.
    var ends: [(reference: String, end: @MainActor () -> Void)] = []
    var endsAtOnce = false

    func prefetcher(requests: Int) -> Prefetcher {
      Prefetcher(
        Prefetch(requests: requests), isCached: { self.cached.contains($0) },
        load: { file, ended in
          self.log.append("+\(file.reference)")
          self.ends.append((file.reference, ended))
          if self.endsAtOnce { ended() }
          return { self.log.append("-\(file.reference)") }
        })
    }

    /// The last request of a file ends.
    func end(_ reference: String) { ends.last { $0.reference == reference }?.end() }

    /// What has happened since the last call.
    func news() -> String {
      defer { log = [] }
      return log.joined(separator: " ")
    }
  }

  private func files(_ references: String) -> [ImageFile] {
    references.map { letter in
      ImageFile(
        url: "https://example.com/\(letter)", reference: "\(letter)", type: "image/webp", width: 8,
        height: 8, bytes: 100)
    }
  }

  @Test func theNextFileStartsWhenOneEnds() {
    let loader = Loader()
    loader.cached = ["b"]
    let prefetcher = loader.prefetcher(requests: 2)
    prefetcher.update(visible: [files("abc")], upcoming: files("de"))
    #expect(loader.news() == "+a +c")
    loader.end("a")
    #expect(loader.news() == "+d")
    loader.end("d")
    loader.end("c")
    #expect(loader.news() == "+e")
  }

  @Test func whatNoPlaceNeedsIsCancelled() {
    let loader = Loader()
    let prefetcher = loader.prefetcher(requests: 2)
    prefetcher.update(visible: [files("a")], upcoming: files("b"))
    prefetcher.update(visible: [files("ac")], upcoming: [])
    #expect(loader.news() == "+a +b -b +c")
    prefetcher.update(visible: [], upcoming: [])
    #expect(loader.news() == "-a -c")
  }

  /// A file that failed, or that the cache has dropped, would be requested over and over.
  @Test func aFileEndsOnceForAPlace() {
    let loader = Loader()
    let prefetcher = loader.prefetcher(requests: 2)
    prefetcher.update(visible: [files("a")], upcoming: [])
    loader.end("a")
    prefetcher.update(visible: [files("a")], upcoming: files("b"))
    #expect(loader.news() == "+a +b")
    prefetcher.update(visible: [files("b")], upcoming: [])
    prefetcher.update(visible: [files("b")], upcoming: files("a"))
    #expect(loader.news() == "+a")
  }

  /// The end of a cancelled request is not that of the request which has replaced it.
  @Test func aCancelledRequestMayEndLate() {
    let loader = Loader()
    let prefetcher = loader.prefetcher(requests: 1)
    prefetcher.update(visible: [files("a")], upcoming: [])
    prefetcher.update(visible: [], upcoming: [])
    prefetcher.update(visible: [files("a")], upcoming: files("b"))
    #expect(loader.news() == "+a -a +a")
    loader.ends[0].end()
    #expect(loader.news() == "")
    loader.end("a")
    loader.end("a")
    #expect(loader.news() == "+b")
  }

  /// A loader that has a file in memory may call back before it returns.
  @Test func filesMayEndWhileTheyStart() {
    let loader = Loader()
    loader.endsAtOnce = true
    let prefetcher = loader.prefetcher(requests: 2)
    prefetcher.update(visible: [files("abc")], upcoming: files("de"))
    #expect(loader.news() == "+a +b +c +d +e")
    prefetcher.update(visible: [], upcoming: [])
    #expect(loader.news() == "")
  }
}
