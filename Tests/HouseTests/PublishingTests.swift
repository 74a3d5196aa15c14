import TesseraTestSupport
import Testing

/// Who publishes into an output: whatever has lines of images goes through `LineGate`, or through the `CatalogFile` that it was
/// made of, so that no image that was forgotten comes back.
@Suite struct PublishingTests {
  private enum Way {
    /// Lines are admitted, and marks confirmed, in these files.
    case gate
    /// What a `CatalogFile` publishes.
    case catalogFile
    /// Takes images out, or has none.
    case noLines
  }

  private static let writers: [String: Way] = [
    "Output/Catalog/Changes.swift": .gate, "Output/Catalog/Screens.swift": .gate,
    "Output/History/CatalogHistory.swift": .gate,
    "Output/History/LineGate+Settling.swift": .gate,
    "Output/History/CatalogErasure.swift": .noLines,
    "Output/History/ForgottenItems.swift": .noLines,
    "Output/Catalog/CatalogDraft+Publishing.swift": .gate,
    "Command/Gallery/GalleryCommand.swift": .catalogFile,
    "Command/Export/CatalogExport.swift": .catalogFile,
    "Output/HeldOutput.swift": .noLines, "Output/Store/StoredState.swift": .noLines,
    "Pipeline/Catalog/ShardWriter.swift": .gate,
    // Files of images, which nothing leads to but a line.
    "Command/Merge/FileCopies.swift": .gate, "Pipeline/Item/Steps/Make.swift": .noLines,
    "Pipeline/Tables/TableFiles.swift": .noLines,
  ]

  /// A new writer is added here when it has decided which way it goes.
  @Test(.faults(.p9)) func eachWriterOfDocumentsAsksTheMarks() throws {
    let tree = try SourceTree()
    let call = Pattern(
      #"\b(?:output|published|target|held\.output)\.(?:write|create|publish)\(|\bOpenDraft\(|CatalogPair\(of"#
    )
    var found: Set<String> = []
    for module in ["Output", "Command", "Pipeline"] {
      for file in tree.modules[module, default: []] where !call.matches(in: file.code).isEmpty {
        found.insert("\(module)/\(file.path)")
      }
    }
    // The place of drafts themselves, and what is written elsewhere than to an output.
    found.subtract([
      "Output/Draft.swift", "Output/History/CatalogHistory+Rollback.swift",
      "Command/Make/MakeCommand.swift",
      "Command/Init/ManifestLines.swift", "Command/Split/SplitCommand.swift",
      "Command/Terminal/Console.swift", "Pipeline/Reports/EventLog.swift",
    ])
    let listed = Set(Self.writers.keys)
    #expect(found.subtracting(listed).sorted() == [])
    #expect(listed.subtracting(found).sorted() == [])
    for (path, way) in Self.writers where way == .catalogFile {
      let file = tree.modules["Command"]?.first { "Command/\($0.path)" == path }
      #expect(file?.code.contains("catalog.publish") == true, "\(path)")
    }
  }
}
