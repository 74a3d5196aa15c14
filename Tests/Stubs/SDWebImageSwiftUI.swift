// Stubs: the names of SDWebImageSwiftUI 3 that Sources/Clients/ios uses, with their signatures. Nothing is run.
import Foundation
import SDWebImage
import SwiftUI

public struct WebImage<Content: View>: View {
  public init<Loaded: View, Waiting: View>(
    url: URL?, scale: CGFloat = 1, options: SDWebImageOptions = [],
    context: [SDWebImageContextOption: Any]? = nil,
    @ViewBuilder content: @escaping (Image) -> Loaded,
    @ViewBuilder placeholder: @escaping () -> Waiting
  ) where Content == Either<Loaded, Waiting> {}
  public func onFailure(perform action: ((any Error) -> Void)? = nil) -> WebImage { self }
  public var body: Never { fatalError() }
}
