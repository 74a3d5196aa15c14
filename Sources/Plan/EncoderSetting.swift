/// One number per format, for a setting such as quality; nil for formats whose encoder lacks it.
package struct EncoderSetting: Sendable, Equatable {
  /// In the order of `OutputFormat.allCases`.
  private var numbers: [Int?]

  package init(_ number: (OutputFormat) -> Int?) { numbers = OutputFormat.allCases.map(number) }

  package subscript(format: OutputFormat) -> Int? {
    get { numbers[format.index] }
    set { numbers[format.index] = newValue }
  }

  /// The defaults of `quality`. AVIF at 65 looks as good as WebP at 80: SSIMULACRA rates both at
  /// 0.022, over 14 photographs at 128 to 1,024 pixels, with 0.81 of the bytes. HEIC has WebP's scale itself.
  package static let quality = EncoderSetting { format in
    switch format {
    // WebP at 80 has a mean SSIMULACRA 2.1 score of 75 over 21 photographs; 70 is high quality.
    case .webp, .jpeg, .jxl, .heic: 80
    case .avif: 65
    case .png: nil
    }
  }

  /// The defaults of `effort`; nil also where the source decides (``automaticEffort(_:of:)``). WebP: 2
  /// shifts flat colours of JPEG graphics by up to 2.5 (CIEDE2000), 4 by less than 2. AVIF: 4
  /// takes 3.4 times the processor time of 2 and saves no bytes (it looks a little better). JPEG XL: 5
  /// has 0.92 of the bytes of 3 for 1.37 times the time; 7 saves no more.
  package static let effort = EncoderSetting { format in
    switch format {
    case .webp: 4
    case .avif: 2
    case .jxl: 5
    case .jpeg, .png, .heic: nil
    }
  }

  /// The effort where the pipeline file says `auto`. WebP: 2 takes half the time of 4, for 3 % more
  /// bytes on photographs; on graphics it would be 12 %.
  static func automaticEffort(_ format: OutputFormat, of source: PlanSource) -> Int? {
    format == .webp ? source.isPhotograph ? 2 : 4 : nil
  }
}
