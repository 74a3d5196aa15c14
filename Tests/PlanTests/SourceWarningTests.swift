import TesseraPlan
import Testing

@Suite struct SourceWarningTests {
  @Test(arguments: [
    (
      SourceWarning.damaged(.truncated, detail: "a; b"),
      "damaged: the image is damaged and was decoded as far as possible (fail-on: truncated): a; b"
    ),
    (.damagedProfile, "damaged-profile: the colour profile is damaged or does not match the image"),
    (
      .drawingIncomplete(detail: "@media"),
      "drawing-incomplete: browsers show what is not drawn here: @media"
    ),
    (.unusableProfile(detail: "no"), "unusable-profile: the colour profile could not be used: no"),
  ])
  func hasASentence(_ warning: SourceWarning, _ sentence: String) {
    #expect(warning.sentence == sentence)
  }
}
