// Stubs: the names of NukeUI 12 that Sources/Clients/ios uses, with their signatures. Nothing is run.
import Nuke
import SwiftUI

@MainActor public protocol LazyImageState {}

extension LazyImageState {
  public var image: Image? { nil }
}

public struct LazyImage<Content: View>: View {
  public init(
    request: ImageRequest?, @ViewBuilder content: @escaping (any LazyImageState) -> Content
  ) {}
  public func onCompletion(
    _ action: @escaping (Result<ImageResponse, any Error>) -> Void
  ) -> Self { self }
  public var body: Never { fatalError() }
}
