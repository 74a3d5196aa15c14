internal import Foundation
public import TesseraCatalog
internal import TesseraText

/// Carries out the steps of a `Prefetch` with whatever loads files in an app.
///
///     let prefetcher = Prefetcher(
///       isCached: { cache.has($0) },
///       load: { request, ended in
///         let task = loader.load(request.file.url) { ended($0 != nil) }
///         return .init(cancel: { task.cancel() }, setVisible: { task.priority = $0 ? .high : .low })
///       })
///     prefetcher.update(visible: [cards], upcoming: nextCards)
///
/// It takes the next step by itself whenever a file ends. A file that has loaded is not started again as long as a
/// place needs it, whatever the cache drops. One that failed starts again after 1, 2, 4 … and at most 60 seconds, or at once when
/// its place becomes visible again, and by ``retry(_:)`` and ``reconnect()``.
@MainActor public final class Prefetcher {
  /// A request that a loader has started.
  public struct Loading {
    let cancel: @MainActor () -> Void
    let setVisible: @MainActor (Bool) -> Void

    /// - Parameters:
    ///   - cancel: ends the request.
    ///   - setVisible: changes its priority: whether it is for a visible place from now on.
    public init(
      cancel: @escaping @MainActor () -> Void,
      setVisible: @escaping @MainActor (_ isVisible: Bool) -> Void = { _ in }
    ) {
      (self.cancel, self.setVisible) = (cancel, setVisible)
    }
  }

  /// Starts to load a file. The second argument is to be called when it has loaded or failed; a call is ignored after the first
  /// one, and after the file was cancelled.
  public typealias Load =
    @MainActor (
      Prefetch.Request, _ ended: @escaping @MainActor @Sendable (_ isLoaded: Bool) -> Void
    ) -> Loading

  private struct Flight {
    var request: Prefetch.Request
    let number: Int
    var loading: Loading?
  }

  /// The clock, in seconds, and what calls a function once after some of them: until what it returns is called.
  struct Clock {
    var now: @MainActor () -> Double
    var call:
      @MainActor (Double, @escaping @MainActor @Sendable () -> Void) -> @MainActor () -> Void

    static let system = Clock(
      now: { ProcessInfo.processInfo.systemUptime },
      call: { seconds, action in
        let task = Task { @MainActor in
          try await Task.sleep(for: .seconds(seconds))
          action()
        }
        return { task.cancel() }
      })
  }

  private let prefetch: Prefetch
  private let isCached: @MainActor (String) -> Bool
  private let load: Load
  private let clock: Clock
  private var visible: [[ImageFile]] = []
  private var upcoming: [ImageFile] = []
  /// By reference.
  private var inFlight: [Identifier: Flight] = [:]
  /// By reference, until it loads.
  private var failures: [Identifier: Prefetch.Failure] = [:]
  /// The files that a place needs, and that have loaded.
  private var loaded: Set<Identifier> = []
  private var stopTimer: @MainActor () -> Void = {}
  private var count = 0
  private var (isStepping, hasChanged) = (false, false)

  /// - Parameters:
  ///   - prefetch: the limits.
  ///   - isCached: whether the file with this `ImageFile.reference` is at hand.
  ///   - load: starts to load a file; see ``Load``.
  public convenience init(
    _ prefetch: Prefetch = Prefetch(),
    isCached: @escaping @MainActor (_ reference: String) -> Bool, load: @escaping Load
  ) {
    self.init(prefetch, clock: .system, isCached: isCached, load: load)
  }

  init(
    _ prefetch: Prefetch, clock: Clock, isCached: @escaping @MainActor (String) -> Bool,
    load: @escaping Load
  ) {
    (self.prefetch, self.clock, self.isCached, self.load) = (prefetch, clock, isCached, load)
  }

  /// Starts and cancels what the places need now. Call it whenever places appear or leave; without any place it cancels all.
  ///
  /// - Parameters:
  ///   - visible: the files of places on the screen, in groups; see `Prefetch.step`.
  ///   - upcoming: the files of places that may appear next, the nearest first.
  public func update(visible: [[ImageFile]], upcoming: [ImageFile]) {
    let before = Self.references(self.visible.joined())
    (self.visible, self.upcoming) = (visible, upcoming)
    let now = Self.references(visible.joined())
    for reference in now.subtracting(before) { failures[reference]?.time = nil }
    loaded.formIntersection(now.union(Self.references(upcoming)))
    step()
  }

  /// Starts a file that failed at once, if a place needs it: the user has tapped on it.
  public func retry(_ reference: String) {
    failures[Identifier(reference)]?.time = nil
    step()
  }

  /// Starts all files that failed at once, as far as places need them: the network has returned.
  public func reconnect() {
    for reference in failures.keys { failures[reference]?.time = nil }
    step()
  }

  private static func references(_ files: some Sequence<ImageFile>) -> Set<Identifier> {
    Set<Identifier>(of: files.map(\.reference))
  }

  private func step() {
    hasChanged = true
    // A file that is in memory may end while it is being started.
    guard !isStepping else { return }
    isStepping = true
    defer { isStepping = false }
    while hasChanged {
      hasChanged = false
      let step = prefetch.step(
        visible: visible, upcoming: upcoming,
        inFlight: inFlight.values.sorted { $0.number < $1.number }.map(\.request),
        now: clock.now(), failure: { failures[Identifier($0)] },
        isLoaded: { loaded.contains($0) || isCached($0) })
      for file in step.cancel {
        inFlight.removeValue(forKey: Identifier(file.reference))?.loading?.cancel()
      }
      for request in step.priorities {
        inFlight[Identifier(request.file.reference)]?.request = request
        inFlight[Identifier(request.file.reference)]?.loading?.setVisible(request.isVisible)
      }
      for request in step.start { start(request) }
      stopTimer()
      stopTimer = {}
      if let wait = step.wait { stopTimer = clock.call(wait) { [weak self] in self?.step() } }
    }
  }

  private func start(_ request: Prefetch.Request) {
    count += 1
    // A cancelled request may end when its file is in flight once more.
    let (number, reference) = (count, Identifier(request.file.reference))
    inFlight[reference] = Flight(request: request, number: number)
    let loading = load(request) { [weak self] in self?.end(reference, number, isLoaded: $0) }
    // Nothing if it has ended.
    inFlight[reference]?.loading = loading
  }

  private func end(_ reference: Identifier, _ number: Int, isLoaded: Bool) {
    guard inFlight[reference]?.number == number else { return }
    inFlight[reference] = nil
    if isLoaded {
      loaded.insert(reference)
      failures[reference] = nil
    } else {
      failures[reference] = Prefetch.Failure(
        count: (failures[reference]?.count ?? 0) + 1, time: clock.now())
    }
    step()
  }
}
