package import TesseraFetch
internal import TesseraSystem

/// An output together with its workspace on this machine.
package struct OpenOutput: Sendable {
  package let output: any Output
  package let workspace: Workspace

  /// Opens an output for a run.
  ///
  /// - Parameters:
  ///   - path: a directory, or `s3://bucket/prefix`.
  ///   - state: the directory of the workspace; nil for one inside the output, which only a directory
  ///     has.
  ///   - store: how an object store is reached.
  /// - Throws: ``OutputError/noState(_:)`` for an object store without a directory for the state.
  package init(
    _ path: String, state: String?, _ store: StoreSettings
  ) throws(OutputError) {
    guard let location = StoreLocation(path) else {
      do throws(SystemError) {
        let directory = try DirectoryOutput(path, creates: true)
        output = directory
        workspace = try directory.workspace()
      } catch {
        throw .system(error)
      }
      return
    }
    guard let state else { throw .noState(path) }
    let other: String?
    do throws(SystemError) {
      let directory = try Directory(state, creates: true)
      workspace = Workspace(directory, of: "the state \"\(state)\" of the output \"\(path)\"")
      other = try workspace.outputName(orSet: "\(location)")
    } catch {
      throw .system(error)
    }
    if let other, other != "\(location)" {
      throw .otherOutput(state: state, of: other, output: path)
    }
    output = ObjectOutput(location, store)
  }
}
