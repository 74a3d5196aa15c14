/// An open file with several owners. It is closed with the last of them.
package final class SharedFile: Sendable {
  package let file: File

  package init(_ file: consuming File) { self.file = file }
}
