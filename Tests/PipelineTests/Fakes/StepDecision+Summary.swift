import TesseraCatalog

@testable import TesseraPipeline

extension StepDecision {
  /// The decision in a few words, for tables.
  var summary: String {
    switch self {
    case .next: "next"
    case .goTo(let stage): "go to \(stage)"
    case .done(.shown): "shown"
    case .keepLine: "line kept"
    case .done(.pending): "pending"
    case .done(.failed(let failure)): "failed \(CatalogImage.Failure(failure).code)"
    }
  }
}
