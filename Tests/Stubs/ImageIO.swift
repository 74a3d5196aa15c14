// Stubs: the names of Image I/O that Sources/TesseraUI uses, with their signatures. Nothing is run.
import CoreGraphics
import Foundation

public final class CGImageSource {}

public let kCGImageSourceCreateThumbnailFromImageAlways: CFString = ""
public let kCGImageSourceCreateThumbnailWithTransform: CFString = ""
public let kCGImageSourceShouldCacheImmediately: CFString = ""
public let kCGImageSourceThumbnailMaxPixelSize: CFString = ""

// swift-format-ignore: AlwaysUseLowerCamelCase
public func CGImageSourceCreateWithData(_ data: CFData, _ options: CFDictionary?) -> CGImageSource?
{ nil }

// swift-format-ignore: AlwaysUseLowerCamelCase
public func CGImageSourceCreateThumbnailAtIndex(
  _ source: CGImageSource, _ index: Int, _ options: CFDictionary?
) -> CGImage? { nil }
