package import TesseraPlan

extension PipelineFile {
  /// What keeps a machine from making the files, if a format is missing there: a sentence without its full stop.
  ///
  /// A source in such a format, which `source` would keep, is an error of that image alone.
  ///
  /// - Parameter lacks: the formats that no worker of the machine can write.
  package func shortfall(lacking lacks: [OutputFormat]) -> String? {
    encodedFormats.first { lacks.contains($0.format) }.flatMap { named in
      named.format.missingEncoder.map { "\"\(named.key): \(named.format.rawValue)\": \($0)" }
    }
  }

  /// Whether the files need an encoder that a machine may lack.
  package var needsEncoders: Bool { encodedFormats.contains { $0.format.missingEncoder != nil } }

  /// The formats that the file names, of files that a run makes.
  private var encodedFormats: [(key: String, format: OutputFormat)] {
    guard deliveringService == nil else { return [] }
    return plan.fixedFormats.map { ("variants.format", $0) }
      + (upgrade.map { [("upgrade.format", $0.format)] } ?? [])
  }
}
