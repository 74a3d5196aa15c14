// Stubs: the names of SDWebImage 5 that Sources/Clients/ios uses, as Swift imports them from Objective-C. Nothing is run.
import Foundation
import UIKit

public struct SDWebImageContextOption: Hashable, Sendable {
  public static let cacheKeyFilter = SDWebImageContextOption()
}

public struct SDWebImageOptions: OptionSet, Sendable {
  public let rawValue: UInt
  public init(rawValue: UInt) { self.rawValue = rawValue }
  public static let retryFailed = SDWebImageOptions(rawValue: 1)
  public static let lowPriority = SDWebImageOptions(rawValue: 1 << 1)
  public static let progressiveLoad = SDWebImageOptions(rawValue: 1 << 2)
  public static let highPriority = SDWebImageOptions(rawValue: 1 << 7)
}

public enum SDImageCacheType: Int { case none }

public class SDWebImageCacheKeyFilter {
  public init(block: @escaping (URL) -> String?) {}
}

public class SDImageCache: @unchecked Sendable {
  public class var shared: SDImageCache { SDImageCache() }
  public func imageFromMemoryCache(forKey key: String?) -> UIImage? { nil }
}

public class SDWebImageCombinedOperation {
  public func cancel() {}
}

public class SDWebImageManager {
  public class var shared: SDWebImageManager { SDWebImageManager() }

  public func loadImage(
    with url: URL?, options: SDWebImageOptions = [], context: [SDWebImageContextOption: Any]?,
    progress: ((Int, Int, URL?) -> Void)?,
    completed: @escaping (UIImage?, Data?, (any Error)?, SDImageCacheType, Bool, URL?) -> Void
  ) -> SDWebImageCombinedOperation? { nil }
}

extension UIImageView {
  // swift-format-ignore: AlwaysUseLowerCamelCase
  public func sd_setImage(
    with url: URL?, placeholderImage: UIImage?, options: SDWebImageOptions = [],
    context: [SDWebImageContextOption: Any]?, progress: ((Int, Int, URL?) -> Void)? = nil,
    completed: ((UIImage?, (any Error)?, SDImageCacheType, URL?) -> Void)? = nil
  ) {}
}
