import Foundation

/// A program that poses as tessera-worker: a fork server whose workers run a shell script with their
/// channel on descriptor 3. If the script names it, descriptor 5 is the job's memory for files.
public enum Impostor {
  /// - Parameters:
  ///   - capabilities: the first line that it sends.
  ///   - name: what the program is called in the folder.
  /// - Returns: its path.
  public static func install(
    _ script: String, capabilities: String, as name: String, in folder: TemporaryFolder
  ) throws -> String {
    try folder.write(capabilities + "\n", to: "capabilities")
    try folder.write(script, to: "script")
    // A link, because a program that was just written may be "busy": another test's child process
    // still has it open for writing until its own exec.
    let path = folder.path(name)
    try FileManager.default.createSymbolicLink(
      atPath: path, withDestinationPath: Places.products.appending(path: "Impostor").path)
    return path
  }
}
