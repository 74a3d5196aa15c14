import TesseraImageHeader
import TesseraNet
import TesseraState
import TesseraText
import TesseraWorkers
import Testing

@testable import tessera

@Suite struct OutputWordsTests {
  /// Each code that an image's error can have is explained once.
  @Test func everyErrorCodeIsExplained() {
    let names = ErrorWords.list.words.map(\.name)
    let codes =
      FetchError.Code.allCases.map(\.rawValue) + TranscodeFailure.Code.allCases.map(\.rawValue)
      + HeaderRejection.Kind.allCases.map(\.rawValue) + ["unknown-slot", "unsupported-format"]
    #expect(Set(names) == Set(codes))
    #expect(names.count == Set(names).count)
    #expect(ErrorWords.list.words.allSatisfy { $0.remedy != nil })
  }

  /// Each decision that is made today is among the reasons.
  @Test func everyReasonIsExplained() {
    let samples = Reason.samples.map(\.kind)
    #expect(samples.count == Set(samples).count && samples.count == ReasonWords.list.words.count)
    #expect(Set(samples) == Set(ReasonSentencesTests.cases.map(\.0.kind)))
  }

  /// A meaning completes a sentence, and a remedy another one. No list has a word twice.
  @Test func wordsReadWell() {
    for list in OutputWords.lists {
      #expect(Set(list.words.map(\.name)).count == list.words.count, "\(list.title)")
      #expect(list.place.hasSuffix("."))
      for text in list.words.flatMap({ [$0.meaning] + [$0.remedy].compactMap(\.self) }) {
        #expect(text.first?.isUppercase == false || text.hasPrefix("JPEG"), "\(text)")
        #expect(!text.hasSuffix("."), "\(text)")
      }
    }
  }
}

extension Reason {
  /// What is stored of it apart from its arguments.
  var kind: Substring { Reason.stored([self]).prefix { $0 != "," } }
}
