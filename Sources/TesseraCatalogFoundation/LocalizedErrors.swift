public import Foundation
public import TesseraCatalog

extension CatalogError: LocalizedError {
  public var errorDescription: String? { description }
}

extension UnknownSlot: LocalizedError {
  public var errorDescription: String? { description }
}

extension CatalogLoadingError: LocalizedError {
  public var errorDescription: String? { description }
}
