#if canImport(SwiftUI)
  import Foundation
  import Network
  public import SwiftUI

  /// A view that loads an image with a loader of the app's own, and is made again when that has failed: after 1, 2, 4 … and at most
  /// 60 seconds, at once by a tap, and when the network returns.
  ///
  ///     CatalogRetrying { fail in KFImage(url).onFailure { _ in fail() } }
  public struct CatalogRetrying<Content: View, Failed: View>: View {
    private let content: (@escaping () -> Void) -> Content
    private let failed: (@escaping () -> Void) -> Failed

    @State private var failures = 0
    @State private var hasFailed = false

    /// - Parameters:
    ///   - content: the loader's view, which calls the function when it has failed.
    ///   - failed: what to show meanwhile; the function tries again.
    public init(
      @ViewBuilder content: @escaping (_ fail: @escaping () -> Void) -> Content,
      @ViewBuilder failed: @escaping (_ retry: @escaping () -> Void) -> Failed
    ) {
      (self.content, self.failed) = (content, failed)
    }

    public var body: some View {
      if hasFailed {
        failed { hasFailed = false }
          .task {
            // The end of a sleep that was cancelled is no reason to try again.
            guard (try? await Task.sleep(for: .seconds(min(60, 1 << min(failures - 1, 6))))) != nil
            else { return }
            hasFailed = false
          }
          .task { await whenNetworkReturns { hasFailed = false } }
          .onDisappear { hasFailed = false }
      } else {
        content {
          failures += 1
          hasFailed = true
        }
      }
    }
  }

  extension CatalogRetrying where Failed == CatalogFailedView {
    /// With a button that tries again.
    public init(@ViewBuilder content: @escaping (_ fail: @escaping () -> Void) -> Content) {
      self.init(content: content) { CatalogFailedView(retry: $0) }
    }
  }

  /// Calls a function each time when the network has returned, until the task is cancelled.
  @MainActor public func whenNetworkReturns(_ action: @MainActor () -> Void) async {
    let states = AsyncStream<Bool> { stream in
      let monitor = NWPathMonitor()
      monitor.pathUpdateHandler = { stream.yield($0.status == .satisfied) }
      stream.onTermination = { _ in monitor.cancel() }
      monitor.start(queue: .main)
    }
    var wasThere = true
    for await isThere in states {
      if isThere, !wasThere { action() }
      wasThere = isThere
    }
  }
#endif
