#if canImport(SwiftUI)
  import Foundation
  import TesseraCatalog

  /// The media types that this system shows.
  public enum CatalogImageTypes {
    public static var system: Set<String> {
      let version = ProcessInfo.processInfo.operatingSystemVersion.majorVersion
      #if os(macOS)
        return SupportedTypes.macOS(version)
      #elseif os(watchOS)
        // watchOS 7 came with iOS 14, and so on; from 26 on the numbers are equal.
        return SupportedTypes.iOS(version >= 26 ? version : version + 7)
      #elseif os(visionOS)
        // visionOS 1 came with iOS 17.
        return SupportedTypes.iOS(version >= 26 ? version : version + 16)
      #else
        return SupportedTypes.iOS(version)
      #endif
    }
  }
#endif
