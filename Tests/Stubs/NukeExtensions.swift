// Stubs: the names of NukeExtensions 12 that Sources/Clients/ios uses, with their signatures. Nothing is run.
import Nuke
import UIKit

public struct ImageLoadingOptions {
  public init(placeholder: UIImage? = nil, failureImage: UIImage? = nil) {}
}

@MainActor @discardableResult public func loadImage(
  with request: ImageRequest?, options: ImageLoadingOptions? = nil, into view: UIImageView,
  completion: ((_ result: Result<ImageResponse, ImagePipeline.Error>) -> Void)? = nil
) -> ImageTask? { nil }
