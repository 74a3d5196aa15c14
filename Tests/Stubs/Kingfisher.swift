// Stubs: the names of Kingfisher 8 that Sources/Clients/ios uses, with their signatures. Nothing is run.
import Foundation
import SwiftUI
import UIKit

public protocol Resource: Sendable {
  var cacheKey: String { get }
  var downloadURL: URL { get }
}

public enum KF {
  public struct ImageResource: Resource {
    public let cacheKey: String
    public let downloadURL: URL
    public init(downloadURL: URL, cacheKey: String? = nil) { fatalError() }
  }
}

public protocol Placeholder {}
extension UIImage: Placeholder {}

public enum KingfisherOptionsInfoItem: Sendable {
  case downloadPriority(Float)
  case progressiveJPEG(ImageProgressive)
}

public struct ImageProgressive: Sendable {
  public init() {}
}
public struct RetrieveImageResult: Sendable {}
public enum KingfisherError: Error {}

public final class DownloadTask: @unchecked Sendable {
  public func cancel() {}
}

open class ImageCache: @unchecked Sendable {
  open func retrieveImageInMemoryCache(
    forKey key: String, options: [KingfisherOptionsInfoItem]? = nil
  ) -> UIImage? { nil }
}

public class KingfisherManager: @unchecked Sendable {
  public static let shared = KingfisherManager()
  public var cache: ImageCache { ImageCache() }

  @discardableResult public func retrieveImage(
    with resource: any Resource, options: [KingfisherOptionsInfoItem]? = nil,
    progressBlock: ((Int64, Int64) -> Void)? = nil,
    downloadTaskUpdated: (@Sendable (DownloadTask?) -> Void)? = nil,
    completionHandler: (@Sendable (Result<RetrieveImageResult, KingfisherError>) -> Void)?
  ) -> DownloadTask? { nil }
}

public struct KingfisherWrapper<Base> {}

extension UIImageView {
  public var kf: KingfisherWrapper<UIImageView> { KingfisherWrapper() }
}

@MainActor extension KingfisherWrapper where Base: UIImageView {
  @discardableResult public func setImage(
    with resource: (any Resource)?, placeholder: (any Placeholder)? = nil,
    options: [KingfisherOptionsInfoItem]? = nil,
    completionHandler: (
      @MainActor @Sendable (Result<RetrieveImageResult, KingfisherError>) -> Void
    )? = nil
  ) -> DownloadTask? { nil }
}

public struct KFImage: View {
  public static func resource(_ resource: (any Resource)?) -> KFImage { fatalError() }
  public func placeholder<Content: View>(
    @ViewBuilder _ content: @escaping () -> Content
  ) -> KFImage { self }
  public func resizable() -> KFImage { self }
  public func progressiveJPEG(_ progressive: ImageProgressive? = .init()) -> KFImage { self }
  public func onFailure(_ block: ((KingfisherError) -> Void)?) -> KFImage { self }
  public var body: Never { fatalError() }
}
