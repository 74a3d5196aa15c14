internal import TesseraCatalog
internal import TesseraOutput
internal import TesseraPlan
internal import TesseraText

/// The words of what runs leave: catalogs, reports, the history.
enum OutputWords {
  static let lists = [
    statuses, ErrorWords.list, warnings, fallbacks, ReasonWords.list, outcomes,
  ]

  private static let statuses = WordList(
    "Status of an image", "`status` of an image in the catalog; counts by it in `run.json`.",
    CatalogImage.Status.allCases.map { Word($0.rawValue, $0.meaning, $0.remedy) })

  private static let warnings = WordList(
    "Warnings of images",
    "`warnings` of an image in the catalog, each a code, a colon and a sentence. The image is shown.",
    SourceWarning.Code.allCases.map { Word($0.rawValue, $0.meaning, $0.remedy) })

  private static let fallbacks = WordList(
    "Fallbacks",
    "`fallback` of a file in the catalog: why it has another format, or is smaller, than the pipeline says.",
    Fallback.Reason.all.map { Word($0.code, $0.meaning, $0.remedy) })

  private static let outcomes = WordList(
    "What came of a run", "`status`, and `outcome` in `runs.jsonl`.",
    HistoryEntry.Outcome.allCases.map { Word($0.rawValue, $0.meaning, $0.remedy) })
}

extension CatalogImage.Status {
  fileprivate var meaning: String {
    switch self {
    case .ok: "the files show the source as it was last confirmed"
    case .stale: "the source could not be reached, and the last good files are shown"
    case .failed: "there is nothing to show"
    case .pending: "only the size is known (--layout-only)"
    }
  }

  fileprivate var remedy: String? {
    switch self {
    case .ok: nil
    case .stale, .failed: "see its `error`, below"
    case .pending: "run without --layout-only to make files"
    }
  }
}

extension SourceWarning.Code {
  fileprivate var meaning: String {
    switch self {
    case .damaged: "the image is damaged, and was decoded as far as possible"
    case .damagedProfile: "its colour profile is damaged, or is not for this image; sRGB was taken"
    case .unusableProfile: "its colour profile can't be converted from; sRGB was taken"
    case .toneMapped: "it has light beyond the white of a page (PQ, HLG), which was compressed"
    case .stillOfAnimation: "it is an animation of which only one image can be decoded"
    case .drawingIncomplete:
      "it is a drawing with parts or styles that are not drawn as in a browser"
    case .headerDiffers: "its header says another size or orientation than the decoder shows"
    }
  }

  fileprivate var remedy: String? {
    switch self {
    case .damaged: "replace it at its source; with fail-on: error such an image fails"
    case .damagedProfile, .unusableProfile: "save the image as sRGB"
    case .toneMapped: "look at it; offer an image for ordinary screens if it is too flat"
    case .stillOfAnimation: "offer the animation as GIF, WebP or PNG"
    case .drawingIncomplete: "look at it; offer a PNG if something is missing"
    case .headerDiffers: "look at it; save it anew if it is turned or cropped, and report the file"
    }
  }
}

extension Fallback.Reason {
  fileprivate var meaning: String {
    switch self {
    case .sizeLimit(let format):
      "a side would be longer than \(format.longestSide) pixels, the limit of \(format.rawValue)"
    case .noAlpha(let format): "the image has alpha, which \(format.rawValue) has not"
    case .noAnimation(let format):
      "the image is animated, and files in \(format.rawValue) are not; WebP is used"
    case .serviceLimit:
      "the image service can't make the image, or not as large: the source itself is shown, or a smaller image"
    }
  }

  fileprivate var remedy: String? {
    switch self {
    case .sizeLimit: "variants.oversized names the format to use; a slot with a height avoids it"
    case .noAlpha: nil
    case .noAnimation: "variants.animation: first-frame makes a still file in the format"
    case .serviceLimit:
      "delivery.files-for has files made of such images; or raise the service's own limit, then the key of it under delivery"
    }
  }
}

extension HistoryEntry.Outcome {
  fileprivate var meaning: String {
    switch self {
    case .done: "all images are shown"
    case .someFailed: "images failed, or lines of the manifest could not be used"
    case .failed: "it could not be done; the catalog stands as it was"
    case .stopped: "a signal stopped it; what was done is kept"
    }
  }

  fileprivate var remedy: String? {
    switch self {
    case .done: nil
    case .someFailed: "tessera status lists them, tessera why explains each"
    case .failed: "its reason is one of the errors of a command"
    case .stopped: "run again, which goes on"
    }
  }
}
