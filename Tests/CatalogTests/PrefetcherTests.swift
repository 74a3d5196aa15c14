import TesseraCatalog
import Testing

@testable import TesseraCatalogFoundation

/// What a prefetcher starts, cancels and tries again. What a step is, the shared cases say.
@MainActor @Suite struct PrefetcherTests {
  /// A loader that writes down what it has to do, with a clock that stands still.
  @MainActor private final class Loader {
    var log: [String] = []
    var cached: Set<String> = []
    /// Of each request, in order: what its file's end calls.
    var ends: [(reference: String, end: @MainActor (Bool) -> Void)] = []
    var endsAtOnce = false
    var now = 100.0
    var timer: (time: Double, call: @MainActor () -> Void)?

    func prefetcher(_ prefetch: Prefetch) -> Prefetcher {
      let clock = Prefetcher.Clock(
        now: { self.now },
        call: { seconds, call in
          self.timer = (self.now + seconds, call)
          return { self.timer = nil }
        })
      return Prefetcher(
        prefetch, clock: clock, isCached: { self.cached.contains($0) },
        load: { request, ended in
          let reference = request.file.reference
          self.log.append("\(request.isVisible ? "+" : "~")\(reference)")
          self.ends.append((reference, ended))
          if self.endsAtOnce { ended(true) }
          return .init(
            cancel: { self.log.append("-\(reference)") },
            setVisible: { self.log.append("\($0 ? "^" : "v")\(reference)") })
        })
    }

    func prefetcher(requests: Int, upcoming: Int = 1) -> Prefetcher {
      prefetcher(Prefetch(requests: requests, upcoming: upcoming))
    }

    /// The last request of a file ends.
    func end(_ reference: String, isLoaded: Bool = true) {
      ends.last { $0.reference == reference }?.end(isLoaded)
    }

    func pass(_ seconds: Double) {
      now += seconds
      while let (time, call) = timer, time <= now {
        timer = nil
        call()
      }
    }

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
    prefetcher.update(visible: [files("abcf")], upcoming: files("de"))
    #expect(loader.news() == "+a +c ~d")
    loader.end("a")
    #expect(loader.news() == "+f")
    loader.end("d")
    loader.end("c")
    #expect(loader.news() == "~e")
  }

  /// A loader gets the priorities of what is in flight.
  @Test func whatBecomesVisibleIsUrgent() {
    let loader = Loader()
    let prefetcher = loader.prefetcher(requests: 2, upcoming: 2)
    prefetcher.update(visible: [files("a")], upcoming: files("bc"))
    prefetcher.update(visible: [files("a"), files("b")], upcoming: files("cd"))
    #expect(loader.news() == "+a ~b ~c ^b ~d")
    prefetcher.update(visible: [files("b")], upcoming: files("acd"))
    #expect(loader.news() == "va")
  }

  @Test func whatNoPlaceNeedsIsCancelled() {
    let loader = Loader()
    let prefetcher = loader.prefetcher(requests: 2)
    prefetcher.update(visible: [files("a")], upcoming: files("b"))
    prefetcher.update(visible: [files("ac")], upcoming: [])
    #expect(loader.news() == "+a ~b -b +c")
    prefetcher.update(visible: [], upcoming: [])
    #expect(loader.news() == "-a -c")
  }

  /// A file that the cache has dropped would be requested over and over.
  @Test func aFileLoadsOnceForAPlace() {
    let loader = Loader()
    let prefetcher = loader.prefetcher(requests: 2)
    prefetcher.update(visible: [files("a")], upcoming: [])
    loader.end("a")
    prefetcher.update(visible: [files("a")], upcoming: files("b"))
    #expect(loader.news() == "+a ~b")
    prefetcher.update(visible: [files("b")], upcoming: [])
    prefetcher.update(visible: [files("b")], upcoming: files("a"))
    #expect(loader.news() == "^b ~a")
  }

  /// A server that fails twice: after 1 second and after 2 more the file starts again, and a success forgets both.
  @Test func whatFailsStartsAgain() {
    let loader = Loader()
    let prefetcher = loader.prefetcher(requests: 2)
    prefetcher.update(visible: [files("a")], upcoming: [])
    loader.end("a", isLoaded: false)
    // Scrolling is no reason to try again.
    prefetcher.update(visible: [files("ab")], upcoming: [])
    loader.pass(0.9)
    #expect(loader.news() == "+a +b" && loader.timer?.time == 101)
    loader.pass(0.1)
    loader.end("a", isLoaded: false)
    loader.pass(1.9)
    #expect(loader.news() == "+a")
    loader.pass(0.1)
    loader.end("a")
    #expect(loader.news() == "+a" && loader.timer == nil)
    prefetcher.update(visible: [], upcoming: [])
    prefetcher.update(visible: [files("a")], upcoming: [])
    loader.end("a", isLoaded: false)
    #expect(loader.news() == "-b +a" && loader.timer?.time == 104)
  }

  /// At once: by a tap, when the network returns, and when the place becomes visible again.
  @Test func whatFailedNeedNotWait() {
    let loader = Loader()
    let prefetcher = loader.prefetcher(requests: 2)
    prefetcher.update(visible: [files("a")], upcoming: files("b"))
    for _ in 0..<9 {
      loader.end("a", isLoaded: false)
      prefetcher.retry("a")
    }
    loader.end("a", isLoaded: false)
    loader.end("b", isLoaded: false)
    #expect(loader.news() == "+a ~b" + String(repeating: " +a", count: 9))
    prefetcher.reconnect()
    #expect(loader.news() == "+a ~b")
    loader.end("a", isLoaded: false)
    loader.end("b", isLoaded: false)
    prefetcher.update(visible: [files("b")], upcoming: files("a"))
    // The count stays, and what is not visible waits on.
    #expect(loader.news() == "+b" && loader.timer?.time == 160)
    prefetcher.retry("x")
    #expect(loader.news() == "")
  }

  /// The end of a cancelled request is not that of the request which has replaced it, and no failure.
  @Test func aCancelledRequestMayEndLate() {
    let loader = Loader()
    let prefetcher = loader.prefetcher(requests: 1)
    prefetcher.update(visible: [files("a")], upcoming: [])
    prefetcher.update(visible: [], upcoming: [])
    prefetcher.update(visible: [files("ab")], upcoming: [])
    #expect(loader.news() == "+a -a +a")
    loader.ends[0].end(false)
    #expect(loader.news() == "" && loader.timer == nil)
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
    #expect(loader.news() == "+a +b ~d +c ~e")
    prefetcher.update(visible: [], upcoming: [])
    #expect(loader.news() == "")
  }
}
