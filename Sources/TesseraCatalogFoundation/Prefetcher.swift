public import TesseraCatalog
internal import TesseraText

/// Carries out the steps of a `Prefetch` with whatever loads files in an app.
///
///     let prefetcher = Prefetcher(
///       isCached: { cache.has($0) },
///       load: { file, ended in
///         let task = loader.load(file.url) { ended() }
///         return { task.cancel() }
///       })
///     prefetcher.update(visible: [cards], upcoming: nextCards)
///
/// It takes the next step by itself whenever a file ends. A file that has loaded or failed is not started again as long as a
/// place needs it, whatever the cache drops. A view that loads its own file needs no prefetcher to do so; a loader that makes
/// one request of two for the same file lets the view wait for the one in flight.
@MainActor public final class Prefetcher {
  /// Starts to load a file, and returns what cancels that. The second argument is to be called when the file has loaded or
  /// failed; a call is ignored after the first one, and after the file was cancelled.
  public typealias Load =
    @MainActor (ImageFile, @escaping @MainActor @Sendable () -> Void) -> @MainActor () -> Void

  private struct Request {
    let file: ImageFile
    let number: Int
    var cancel: @MainActor () -> Void
  }

  private let prefetch: Prefetch
  private let isCached: @MainActor (String) -> Bool
  private let load: Load
  private var visible: [[ImageFile]] = []
  private var upcoming: [ImageFile] = []
  /// By reference.
  private var inFlight: [Identifier: Request] = [:]
  /// The references of files that a place needs, and that have loaded or failed.
  private var ended: Set<String> = []
  private var count = 0
  private var (isStepping, hasChanged) = (false, false)

  /// - Parameters:
  ///   - prefetch: the limits.
  ///   - isCached: whether the file with this `ImageFile.reference` is at hand.
  ///   - load: starts to load a file; see ``Load``.
  public init(
    _ prefetch: Prefetch = Prefetch(), isCached: @escaping @MainActor (_ reference: String) -> Bool,
    load: @escaping Load
  ) {
    (self.prefetch, self.isCached, self.load) = (prefetch, isCached, load)
  }

  /// Starts and cancels what the places need now. Call it whenever places appear or leave; without any place it cancels all.
  ///
  /// - Parameters:
  ///   - visible: the files of places on the screen, in groups; see `Prefetch.step`.
  ///   - upcoming: the files of places that may appear next, the nearest first.
  public func update(visible: [[ImageFile]], upcoming: [ImageFile]) {
    (self.visible, self.upcoming) = (visible, upcoming)
    ended.formIntersection((visible.joined() + upcoming).map(\.reference))
    step()
  }

  private func step() {
    hasChanged = true
    // A file that is in memory may end while it is being started.
    guard !isStepping else { return }
    isStepping = true
    defer { isStepping = false }
    while hasChanged {
      hasChanged = false
      let files = inFlight.values.sorted { $0.number < $1.number }.map(\.file)
      let step = prefetch.step(visible: visible, upcoming: upcoming, inFlight: files) {
        ended.contains($0) || isCached($0)
      }
      for file in step.cancel { inFlight.removeValue(forKey: Identifier(file.reference))?.cancel() }
      for file in step.start { start(file) }
    }
  }

  private func start(_ file: ImageFile) {
    count += 1
    // A cancelled request may end when its file is in flight once more.
    let number = count
    inFlight[file.reference] = Request(file: file, number: number, cancel: {})
    let cancel = load(file) { [weak self] in self?.end(file.reference, number) }
    // Nothing if it has ended.
    inFlight[file.reference]?.cancel = cancel
  }

  private func end(_ reference: String, _ number: Int) {
    guard inFlight[reference]?.number == number else { return }
    inFlight[reference] = nil
    ended.insert(reference)
    step()
  }
}
