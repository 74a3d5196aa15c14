internal import TesseraBytes
package import TesseraCatalog
internal import TesseraText

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

/// A variant as it is requested from a service.
package struct DeliveryRequest: Sendable {
  /// The source's URL, without secrets.
  package var url: String
  package var source: PlanSource
  /// The point that crops keep, in shares of width and height from the upper left corner.
  package var focus: CatalogFocus
  package var mode: CatalogSlot.Mode
  package var file: PlannedFile

  package init(
    url: String, source: PlanSource, focus: CatalogFocus, mode: CatalogSlot.Mode,
    file: PlannedFile
  ) {
    self.url = url
    self.source = source
    self.focus = focus
    self.mode = mode
    self.file = file
  }
}

extension ImageService {
  /// The URL of a variant. Nil if the service can't fetch the source, which has no http(s) URL, or can't make the
  /// variant as it is planned.
  package func url(of request: DeliveryRequest) -> String? {
    guard let template, SourceURL.isFetchable(request.url),
      limits.makes(request.file, of: request.source)
    else {
      return nil
    }
    var request = request
    // A signature covers it.
    request.url = Self.original(request.url)
    let source = SourceParts(request.url)
    let values = RequestValues(request, source, self)
    let part = signed[request.mode] ?? signed[.fit]
    let inner = part?.expand { values.text(of: $0) } ?? ""
    let rest = template.expand { name in
      switch name {
      case .signed: inner
      case .signature: signature?.value(of: inner, key: key, salt: salt) ?? ""
      default: values.text(of: name)
      }
    }
    return (base ?? source.origin) + rest
  }

  /// The URL of a source as clients send it.
  package static func original(_ url: String) -> String {
    PercentEncoding.encode(url, keeping: "!#$%&'()*+,/:;=?@[]")
  }

  /// The smallest accepted quality that is at least this; the largest if there is none.
  fileprivate func accepted(_ quality: Int) -> Int {
    qualities.first { $0 >= quality } ?? qualities.last ?? quality
  }
}

/// The parts of a URL that placeholders name, as they are in the URL.
private struct SourceParts {
  let origin: String
  let host: String
  let path: String
  let query: String

  init(_ url: String) {
    // Servers never see a fragment.
    let whole = url.prefix { $0 != "#" }
    let scheme = whole.prefix { $0 != ":" }
    let rest = whole.dropFirst(scheme.count + 3)
    host = String(rest.prefix { !"/?".contains($0) })
    origin = "\(scheme)://\(host)"
    let tail = rest.dropFirst(host.count)
    let path = tail.prefix { $0 != "?" }
    self.path = String(path.drop { $0 == "/" })
    query = String(tail.dropFirst(path.count + 1))
  }
}

/// The values of the placeholders for one request.
private struct RequestValues {
  private let request: DeliveryRequest
  private let source: SourceParts
  private let service: ImageService

  init(_ request: DeliveryRequest, _ source: SourceParts, _ service: ImageService) {
    self.request = request
    self.source = source
    self.service = service
  }

  func text(of name: Template.Name) -> String {
    let encoding = request.file.encoding
    switch name {
    case .url: return String(request.url.prefix { $0 != "#" })
    case .host: return source.host
    case .path: return source.path
    case .query: return source.query
    case .width: return "\(box.width)"
    case .height: return "\(box.height)"
    case .mode: return service.modes[request.mode] ?? service.modes[.fit] ?? ""
    case .format: return service.formats[encoding.format] ?? ""
    case .quality: return encoding.quality.map { "\(service.accepted($0))" } ?? ""
    case .metadata:
      return encoding.metadata == .strip ? service.metadata.drop : service.metadata.keep
    // Not of this source alone: a header may not show that an image is animated.
    case .animation:
      return service.keepsAnimations ? service.animation.keep : service.animation.drop
    case .x, .y: return focus(isAcross: name == .x)
    case .left, .top, .right, .bottom, .cropWidth, .cropHeight: return edge(name)
    case .signed, .signature, .key, .salt: return ""
    }
  }

  /// The box that the service is asked to fill. The longer side decides about the result, as in the plan: of a
  /// whole image the shorter one is rounded up, so that it never does, or down if the image covers the box.
  private var box: Size {
    let size = request.file.size
    if let width = service.limits.widths.first(where: { $0 >= size.width }) {
      return Size(width, size.height)
    }
    guard request.mode != .clip, size != request.source.size else { return size }
    let isWide = request.source.size.width >= request.source.size.height
    let (longer, shorter) =
      isWide ? (size.width, request.source.size.height) : (size.height, request.source.size.width)
    let product = longer * shorter
    let whole = request.source.size.longerSide
    let covers = request.mode == .fill && service.modes[.fill] != nil
    let other = max(1, covers ? product / whole : (product + whole - 1) / whole)
    return isWide ? Size(size.width, other) : Size(other, size.height)
  }

  private func focus(isAcross: Bool) -> String {
    guard let crop = request.file.crop, case .at(let x, let y) = crop.place else { return "" }
    var share = isAcross ? request.focus.x : request.focus.y
    if service.focus.kind == .position {
      let room =
        isAcross
        ? request.source.size.width - crop.size.width
        : request.source.size.height - crop.size.height
      share = room > 0 ? Double(isAcross ? x : y) / Double(room) : 0.5
    }
    let scale = service.focus.scale
    return scale > 1 ? "\(Int((share * scale).rounded()))" : Self.decimal(share * scale)
  }

  private func edge(_ name: Template.Name) -> String {
    guard let crop = request.file.crop, case .at(let x, let y) = crop.place,
      !isCentred(crop.size, x, y)
    else { return "" }
    return switch name {
    case .left: "\(x)"
    case .top: "\(y)"
    case .right: "\(x + crop.size.width)"
    case .bottom: "\(y + crop.size.height)"
    case .cropWidth: "\(crop.size.width)"
    default: "\(crop.size.height)"
    }
  }

  private func isCentred(_ part: Size, _ x: Int, _ y: Int) -> Bool {
    abs(2 * x + part.width - request.source.size.width) <= 1
      && abs(2 * y + part.height - request.source.size.height) <= 1
  }

  /// Up to four decimals, without zeros at the end.
  private static func decimal(_ value: Double) -> String {
    let parts = Int((value * 10_000).rounded())
    let fraction = String("\(10_000 + parts % 10_000)".dropFirst())
    let digits = String(fraction.reversed().drop { $0 == "0" }.reversed())
    return digits.isEmpty ? "\(parts / 10_000)" : "\(parts / 10_000).\(digits)"
  }
}

/// How a service recognises URLs that its owner made.
package struct ServiceSignature: Sendable, Equatable {
  package enum Algorithm: String, Sendable, CaseIterable {
    case hmacSHA256 = "hmac-sha256"
    case hmacSHA1 = "hmac-sha1"
    case sha256, sha1, md5

    fileprivate var digest: MessageDigest {
      switch self {
      case .hmacSHA256, .sha256: .sha256
      case .hmacSHA1, .sha1: .sha1
      case .md5: .md5
      }
    }

    /// Whether the key is that of a code, and not a part of the text.
    package var isKeyed: Bool { self == .hmacSHA256 || self == .hmacSHA1 }
  }

  package enum Encoding: String, Sendable, CaseIterable {
    case hex, base64, base64url
  }

  package enum KeyEncoding: String, Sendable, CaseIterable {
    case text, hex
  }

  package var algorithm = Algorithm.hmacSHA256
  /// What is signed: of `{signed}`, `{key}` and `{salt}`.
  package var of: Template?
  package var keyEncoding = KeyEncoding.text
  package var encoding = Encoding.base64url
  /// Whether base64 ends with "=".
  package var isPadded = false
  /// At most this many characters of the encoded signature; nil for all.
  package var length: Int?
  /// Stands in the place of the signature if there is no key; empty for nothing.
  package var unsigned = ""

  package init() {}

  /// The signature of a part of a URL.
  ///
  /// - Parameters:
  ///   - key: the bytes of the key; nil for a service that is used without signatures.
  package func value(of signed: String, key: [UInt8]?, salt: [UInt8]) -> String {
    guard let key, let of else { return unsigned }
    // A key may be any bytes, which a text can't hold: each goes in at its mark.
    let marked = of.expand { $0 == .key ? Self.mark(1) : $0 == .salt ? Self.mark(2) : signed }
    var text: [UInt8] = []
    for byte in marked.utf8 {
      switch byte {
      case 1: text += key
      case 2: text += salt
      default: text.append(byte)
      }
    }
    let digest = algorithm.digest
    let value = algorithm.isKeyed ? digest.code(of: text, key: key) : digest.digest(of: text)
    let encoded =
      switch encoding {
      case .hex: Hexadecimal.encode(value)
      case .base64: Base64.encode(value, isPadded: isPadded)
      case .base64url: Base64.encodeForURLs(value, isPadded: isPadded)
      }
    return String(encoded.prefix(length ?? .max))
  }

  /// A control character, which no URL has.
  private static func mark(_ byte: UInt8) -> String { String(UnicodeScalar(byte)) }

  /// The bytes of a key as it is written; nil if it is not in the encoding.
  package func bytes(ofKey text: String) -> [UInt8]? {
    keyEncoding == .hex ? Hexadecimal.decode(text) : Array(text.utf8)
  }
}
