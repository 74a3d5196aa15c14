// Stubs: the names of Network that Sources/TesseraUI uses, with their signatures. Nothing is run.
import Dispatch

public struct NWPath: Sendable {
  public enum Status: Sendable { case satisfied, unsatisfied }
  public var status: Status { .satisfied }
}

public final class NWPathMonitor: @unchecked Sendable {
  public var pathUpdateHandler: (@Sendable (NWPath) -> Void)?
  public init() {}
  public func start(queue: DispatchQueue) {}
  public func cancel() {}
}
