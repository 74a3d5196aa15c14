internal import TesseraBytes
package import TesseraCatalog
package import TesseraPlan

/// An image service behind a URL: the form of its URLs, its words and its limits. All of it is data, from a
/// preset or from a pipeline file.
package struct ImageService: Sendable {
  /// What the URLs begin with, without a "/" at its end; nil for scheme and host of the source, if the service
  /// makes variants of what lies at the same place.
  package var base: String?
  package var template: Template?
  /// The part of the template that a signature covers, or that differs between modes.
  package var signed: [CatalogSlot.Mode: Template] = [:]
  /// A mode without a word is made by `fit` to the computed size, and `clip` not at all: clients crop then.
  package var modes: [CatalogSlot.Mode: String] = [:]
  /// The formats that it makes.
  package var formats: [OutputFormat: String] = [:]
  /// For metadata that is removed, and that is kept.
  package var metadata = Words()
  /// For all frames of an animation, and for its first one.
  package var animation = Words()
  /// Whether animations survive; false if the pipeline wants first frames alone.
  package var keepsAnimations = false
  /// The most frames of an animation that survives; nil for any.
  package var frames: Int?
  package var focus = FocusForm()
  package var limits = ServiceLimits()
  /// The qualities that it accepts, ascending; empty for any. A quality is rounded up to one of them.
  package var qualities: [Int] = []
  package var signature: ServiceSignature?
  /// Nil without signatures.
  package var key: [UInt8]?
  package var salt: [UInt8] = []
  /// Whether a run makes files, too.
  package var makesFiles = false
  /// The images that it makes files of because the service can't make them.
  package var filesFor: [Exception] = []

  /// A kind of image that a service can't make.
  package enum Exception: String, Sendable, CaseIterable {
    /// Too large to be made, or to be read.
    case oversized
    /// An animation whose frames the service drops, or that it can't read.
    case animated
  }

  /// Two words of a service for a choice of the pipeline file; empty for none.
  package struct Words: Sendable {
    /// For what `keep` chooses.
    package var keep = ""
    /// For the other choice: `strip`, `first-frame`.
    package var drop = ""

    package init() {}
  }

  /// How a service names the point that a crop keeps.
  package struct FocusForm: Sendable {
    package enum Kind: String, Sendable, CaseIterable {
      /// The point itself, which the service centres the crop on, as far as the image allows.
      case point
      /// The place of the crop among all possible ones, as CSS `object-position` has it: 0 is at the upper
      /// left edge.
      case position
    }

    package var kind = Kind.point
    /// What stands for the right and lower edge. Up to 1, coordinates have four decimals; above, none.
    package var scale = 1.0

    package init() {}
  }

  package init() {}
}

extension ImageService {
  /// Change with the key and the salt, and show neither.
  package var secretDigests: [String] { [key ?? [], salt].map { SHA256.of($0) } }
}
