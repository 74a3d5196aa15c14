internal import TesseraSystem

/// A state that is only read. Opening one of an earlier version would migrate it, which is a run's to do: then this is a
/// copy, which is removed together with this value.
package struct StateReading: Sendable {
  package let store: StateStore
  private let copy: TemporaryDirectory?

  package init(path: String) async throws {
    guard try StateStore.isOfEarlierVersion(path) else {
      store = try StateStore(path: path)
      copy = nil
      return
    }
    let copy = try TemporaryDirectory()
    let place = FileSystem.join(copy.path, FileSystem.name(of: path))
    try await StateStore.copy(path, to: place)
    store = try StateStore(path: place)
    self.copy = copy
  }
}
