// Stubs: the names of Nuke 12 that Sources/Clients/ios uses, with their signatures. Nothing is run.
import Foundation
import UIKit

public struct ImageRequest: Sendable {
  public struct UserInfoKey: Hashable, Sendable {
    public static let imageIdKey = UserInfoKey()
  }
  public struct Options: OptionSet, Sendable {
    public let rawValue: UInt16
    public init(rawValue: UInt16) { self.rawValue = rawValue }
  }
  public enum Priority: Sendable { case low, normal, high }

  public init(
    url: URL?, processors: [any ImageProcessing] = [], priority: Priority = .normal,
    options: Options = [], userInfo: [UserInfoKey: Any]? = nil
  ) {}
}

public protocol ImageProcessing: Sendable {}

public struct ImageContainer {
  public var image: UIImage { fatalError() }
}

public struct ImageResponse {}

public final class ImageTask: @unchecked Sendable {
  public var priority: ImageRequest.Priority = .normal
  public func cancel() {}
}

public final class ImagePipeline: @unchecked Sendable {
  public nonisolated(unsafe) static var shared = ImagePipeline { _ in }
  public var cache: Cache { Cache() }

  public struct Configuration {
    public var isProgressiveDecodingEnabled = false
  }

  public init(_ configure: (inout Configuration) -> Void) {}

  public enum Error: Swift.Error {}

  public struct Cache: Sendable {
    public struct Caches: OptionSet {
      public let rawValue: Int
      public init(rawValue: Int) { self.rawValue = rawValue }
      public static let memory = Caches(rawValue: 1)
      public static let all: Caches = [.memory]
    }
    public func cachedImage(
      for request: ImageRequest, caches: Caches = [.all]
    ) -> ImageContainer? { nil }
  }

  @discardableResult public func loadImage(
    with request: ImageRequest,
    completion: @escaping (_ result: Result<ImageResponse, ImagePipeline.Error>) -> Void
  ) -> ImageTask { ImageTask() }
}
