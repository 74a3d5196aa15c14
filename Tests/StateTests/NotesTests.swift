import TesseraTestSupport
import Testing

@testable import TesseraState

/// What a state remembers of the output beside its records.
@Suite struct NotesTests {
  @Test(.faults(.s6)) func theMarksThatWereSeenAreKept() async throws {
    let folder = try TemporaryFolder()
    let state = try StateStore(path: folder.path("s"))
    #expect(try await state.forgottenMarks() == nil)
    try await state.note(forgottenMarks: "a")
    try await state.note(forgottenMarks: "b")
    try await state.close()
    #expect(try await StateStore(path: folder.path("s")).forgottenMarks() == "b")
  }
}
