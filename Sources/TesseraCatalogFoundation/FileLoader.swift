public import Foundation
public import TesseraCatalog
internal import TesseraText

#if canImport(FoundationNetworking)
  public import FoundationNetworking
#endif

/// What there is of a file: it is loading, or has loaded, or failed and waits for the next try.
public enum FileState<Content: Sendable>: Sendable {
  /// It has been requested, or will be.
  case loading
  /// It is there.
  case loaded(Content)
  /// It could not be loaded or decoded.
  case failed
}

/// Loads the files of an app's places with `URLSession`, each once: those on the screen, and before them what comes next. It keeps
/// what was made of them in memory, and tries again what failed, as a ``Prefetcher`` does.
///
///     let loader = FileLoader { data, file in try decode(data) }
///     for await state in loader.states(of: file) { show(state) }  // the place is on the screen while this runs
///     loader.upcoming = nextFiles
///
/// `CatalogImageView` of `TesseraUI` loads with one.
@MainActor public final class FileLoader<Content: Sendable> {
  /// A place on the screen.
  private struct Place {
    let file: ImageFile
    let show: (FileState<Content>) -> Void
  }

  /// Files of places that are not on the screen yet, the nearest first.
  public var upcoming: [ImageFile] = [] { didSet { setChanged() } }

  private let session: URLSession
  private let decode: @Sendable (Data, ImageFile) throws -> Content
  private let contents = NSCache<NSString, Box>()
  /// Of places, and of upcoming ones: what the cache drops has to stay for these.
  private var needed: [Identifier: Content] = [:]
  private var failed: Set<Identifier> = []
  private var places: [Int: Place] = [:]
  /// The places that appeared together, in the order in which they appeared.
  private var groups: [[Int]] = []
  private var arrived: [Int] = []
  private var count = 0
  private var hasChanged = false
  private lazy var prefetcher = Prefetcher(
    limits, isCached: { [unowned self] in content($0) != nil },
    load: { [unowned self] in load($0, $1) })
  private let limits: Prefetch

  private final class Box {
    let content: Content
    init(_ content: Content) { self.content = content }
  }

  /// - Parameters:
  ///   - prefetch: how many files are in flight at a time.
  ///   - configuration: of the session: time limits, headers, the cache on the disk.
  ///   - bytes: the most that contents have in memory, as pixels of four bytes; 64 MB by default.
  ///   - decode: makes of a file what places show, on a thread of its own.
  public init(
    _ prefetch: Prefetch = Prefetch(), configuration: URLSessionConfiguration = .default,
    keeping bytes: Int = 64_000_000,
    decode: @escaping @Sendable (_ data: Data, _ file: ImageFile) throws -> Content
  ) {
    // The system's limit is 4 or 6 for a server of HTTP/1.1, and what is upcoming would take places of what is visible.
    let configuration = configuration.copy() as? URLSessionConfiguration ?? configuration
    configuration.httpMaximumConnectionsPerHost = max(
      configuration.httpMaximumConnectionsPerHost, prefetch.requests + prefetch.upcoming)
    session = URLSession(configuration: configuration)
    self.decode = decode
    limits = prefetch
    contents.totalCostLimit = bytes
  }

  deinit { session.invalidateAndCancel() }

  /// What there is of a file now.
  public func state(of file: ImageFile) -> FileState<Content> {
    if let content = content(file.reference) { return .loaded(content) }
    return failed.contains(file.reference) ? .failed : .loading
  }

  private func content(_ reference: String) -> Content? {
    needed[Identifier(reference)] ?? contents.object(forKey: reference as NSString)?.content
  }

  /// The states of a file in a place, from now on. The place is on the screen as long as they are waited for; places that begin
  /// in one turn of the main actor are a group, from top to bottom.
  public func states(of file: ImageFile) -> AsyncStream<FileState<Content>> {
    AsyncStream { stream in
      let now = state(of: file)
      stream.yield(now)
      count += 1
      let place = count
      places[place] = Place(file: file) { stream.yield($0) }
      arrived.append(place)
      stream.onTermination = { [weak self] _ in
        Task { @MainActor in self?.remove(place) }
      }
      setChanged()
    }
  }

  /// Loads a file that failed at once: the user has tapped on it.
  public func retry(_ file: ImageFile) {
    guard failed.contains(file.reference) else { return }
    show(.loading, file.reference)
    prefetcher.retry(file.reference)
  }

  /// Loads at once what failed: the network has returned.
  public func reconnect() { prefetcher.reconnect() }

  private func remove(_ place: Int) {
    places[place] = nil
    for group in groups.indices { groups[group].removeAll { $0 == place } }
    groups.removeAll(where: \.isEmpty)
    setChanged()
  }

  /// Once for all that happens in this turn.
  private func setChanged() {
    guard !hasChanged else { return }
    hasChanged = true
    Task { update() }
  }

  private func update() {
    hasChanged = false
    let group = arrived.filter { places[$0] != nil }
    arrived = []
    if !group.isEmpty { groups.append(group) }
    let visible = groups.map { $0.compactMap { places[$0]?.file } }
    needed = Dictionary(
      (visible.joined() + upcoming).compactMap { file in
        content(file.reference).map { (Identifier(file.reference), $0) }
      }, uniquingKeysWith: { first, _ in first })
    prefetcher.update(visible: visible, upcoming: upcoming)
  }

  private func show(_ state: FileState<Content>, _ reference: String) {
    for place in places.values where place.file.reference.isSame(as: reference) {
      place.show(state)
    }
  }

  // MARK: Requests

  private func load(
    _ request: Prefetch.Request, _ ended: @escaping @MainActor @Sendable (Bool) -> Void
  ) -> Prefetcher.Loading {
    let (file, decode) = (request.file, decode)
    let isRetry = failed.remove(Identifier(file.reference)) != nil
    if isRetry { show(.loading, file.reference) }
    guard let url = file.requestURL else {
      ended(finish(file, nil))
      return .init(cancel: {})
    }
    // What failed may be a damaged answer in the system's cache.
    let policy: URLRequest.CachePolicy =
      isRetry ? .reloadIgnoringLocalCacheData : .useProtocolCachePolicy
    // Weak: the session's queue must not be what ends the session.
    let task = session.dataTask(with: URLRequest(url: url, cachePolicy: policy)) {
      [weak self] data, response, error in
      if (error as? URLError)?.code == .cancelled { return }
      let isWhole = (response as? HTTPURLResponse).map { $0.statusCode == 200 } ?? true
      let content = isWhole ? data.flatMap { try? decode($0, file) } : nil
      Task { @MainActor in ended(self?.finish(file, content) ?? false) }
    }
    task.priority = Self.priority(request.isVisible)
    task.resume()
    return .init(
      cancel: { task.cancel() }, setVisible: { task.priority = Self.priority($0) })
  }

  private static func priority(_ isVisible: Bool) -> Float {
    isVisible ? URLSessionTask.highPriority : URLSessionTask.lowPriority
  }

  private func finish(_ file: ImageFile, _ content: Content?) -> Bool {
    guard let content else {
      failed.insert(file.reference)
      show(.failed, file.reference)
      return false
    }
    needed[Identifier(file.reference)] = content
    contents.setObject(
      Box(content), forKey: file.reference as NSString,
      cost: max(0, min(file.width, 1 << 14)) * max(0, min(file.height, 1 << 14)) * 4)
    show(.loaded(content), file.reference)
    return true
  }
}
