#if canImport(SwiftUI)
  import Foundation
  public import SwiftUI
  public import TesseraCatalog
  import TesseraCatalogFoundation

  /// An image of a catalog in a slot. Its place has its final size before anything has loaded. It has three states: it is loading,
  /// or has loaded, or failed; then it is tried again after some seconds, at once by a tap, and when the network returns.
  ///
  ///     let index = try CatalogIndex(catalog, accepting: CatalogImageTypes.system, from: url)
  ///     if let image = index.image("p1") { CatalogImageView(image, slot: "card") }
  ///
  /// It shows an animation as a still; loaders that move them are in `Sources/Clients/ios`.
  public struct CatalogImageView<Waiting: View, Failed: View>: View {
    private let image: CatalogEntry
    private let slot: SlotName
    private let waiting: () -> Waiting
    private let failed: (CatalogImage.Failure?, (() -> Void)?) -> Failed

    @State private var state: FileState<DecodedImage>?
    @Environment(\.displayScale) private var scale

    /// With views of the app's own.
    ///
    /// - Parameters:
    ///   - image: of the catalog.
    ///   - slot: its name.
    ///   - waiting: what to show while the file loads. It has the size of the place.
    ///   - failed: what to show if there is nothing to show. Its error is nil if the catalog has a file, and the file could not be
    ///     loaded; then the function tries again.
    public init(
      _ image: CatalogEntry, slot: SlotName, @ViewBuilder waiting: @escaping () -> Waiting,
      @ViewBuilder failed:
        @escaping (_ error: CatalogImage.Failure?, _ retry: (() -> Void)?) ->
        Failed
    ) {
      self.image = image
      self.slot = slot
      self.waiting = waiting
      self.failed = failed
    }

    public var body: some View {
      if let box = image.box(in: slot), let frame = image.frame(in: slot) {
        let file = image.file(for: slot, scale: Double(scale), motion: .still)
        content(file)
          .frame(width: CGFloat(frame.width), height: CGFloat(frame.height))
          .offset(x: CGFloat(frame.x), y: CGFloat(frame.y))
          .frame(width: CGFloat(box.width), height: CGFloat(box.height), alignment: .topLeading)
          .clipped()
          .accessibilityLabel(Text(image.alt ?? ""))
          // An empty text stands for an ornament; without a text there is nothing to read out either.
          .accessibilityHidden((image.alt ?? "").isEmpty && !canRetry(file))
          .task(id: file) { await follow(file) }
      }
    }

    /// While the view is on the screen.
    private func follow(_ file: ImageFile?) async {
      state = nil
      guard let file else { return }
      for await next in CatalogImageLoader.shared.states(of: file) {
        withAnimation(.easeOut(duration: 0.2)) { state = next }
      }
    }

    private func current(_ file: ImageFile) -> FileState<DecodedImage> {
      state ?? CatalogImageLoader.shared.state(of: file)
    }

    private func canRetry(_ file: ImageFile?) -> Bool {
      if let file, case .failed = current(file) { true } else { false }
    }

    @ViewBuilder private func content(_ file: ImageFile?) -> some View {
      if let file {
        switch current(file) {
        case .loading: waiting()
        case .loaded(let decoded):
          Image(decorative: decoded.image, scale: 1).resizable().scaledToFill()
        case .failed: failed(nil) { CatalogImageLoader.shared.retry(file) }
        }
      } else if image.status == .failed {
        failed(image.error, nil)
      } else {
        waiting()
      }
    }
  }

  extension CatalogImageView where Waiting == CatalogWaitingView, Failed == CatalogFailedView {
    /// With the default views.
    public init(_ image: CatalogEntry, slot: SlotName) {
      self.init(image, slot: slot) {
        CatalogWaitingView(image)
      } failed: { _, retry in
        CatalogFailedView(retry: retry)
      }
    }
  }

  /// The placeholder of an image, which pulses; under "reduce motion" it stands still.
  public struct CatalogWaitingView: View {
    private let placeholder: CGImage?

    @State private var isDim = false
    @Environment(\.accessibilityReduceMotion) private var reducesMotion

    /// - Parameter image: of the catalog.
    public init(_ image: CatalogEntry) { placeholder = image.placeholder?.pixels()?.cgImage }

    public var body: some View {
      drawn
        .opacity(isDim ? 0.6 : 1)
        .animation(
          reducesMotion ? nil : .easeInOut(duration: 0.8).repeatForever(autoreverses: true),
          value: isDim
        )
        .onAppear { isDim = !reducesMotion }
    }

    @ViewBuilder private var drawn: some View {
      if let placeholder {
        Image(decorative: placeholder, scale: 1).resizable().interpolation(.medium)
      } else {
        Color.gray.opacity(0.2)
      }
    }
  }

  /// A place that failed: a button that tries again, where that may help.
  public struct CatalogFailedView: View {
    private let retry: (() -> Void)?

    /// - Parameter retry: tries again; nil if the catalog has no file.
    public init(retry: (() -> Void)?) { self.retry = retry }

    public var body: some View {
      Color.gray.opacity(0.2).overlay {
        if let retry {
          Button(action: retry) { Image(systemName: "arrow.clockwise").padding(12) }
            .accessibilityLabel(Text("Try again"))
        }
      }
    }
  }
#endif
