import Foundation
import TesseraCatalog
import TesseraCatalogFoundation
import UIKit

// Downloads files while the app is suspended, and after the system has ended it, for an app to copy.

/// Downloads files into an existing folder. Make one when the app starts: its session, known by its identifier, continues the
/// downloads of the last launch.
@MainActor final class BackgroundFiles: NSObject, URLSessionDownloadDelegate {
  private nonisolated let folder: URL
  /// From `application(_:handleEventsForBackgroundURLSession:completionHandler:)`.
  var didFinish: (() -> Void)?

  init(in folder: URL) { self.folder = folder }

  private lazy var session: URLSession = {
    let configuration = URLSessionConfiguration.background(withIdentifier: "catalog-files")
    // Wi-Fi and power, when the system thinks best.
    configuration.isDiscretionary = true
    return URLSession(configuration: configuration, delegate: self, delegateQueue: nil)
  }()

  /// Where a file is, or will be. A reference may be a URL, which cannot name a file.
  private nonisolated func place(_ reference: String) -> URL {
    folder.appendingPathComponent(Data(reference.utf8).base64EncodedString().filter { $0 != "/" })
  }

  func download(_ files: [ImageFile]) {
    let session = session
    session.getAllTasks { tasks in
      let known = Set(tasks.compactMap(\.taskDescription))
      for file in files where !known.contains(file.reference) {
        let isThere = FileManager.default.fileExists(atPath: self.place(file.reference).path)
        guard !isThere, let url = file.requestURL else { continue }
        let task = session.downloadTask(with: url)
        task.taskDescription = file.reference
        task.resume()
      }
    }
  }

  nonisolated func urlSession(
    _ session: URLSession, downloadTask task: URLSessionDownloadTask,
    didFinishDownloadingTo location: URL
  ) {
    guard (task.response as? HTTPURLResponse)?.statusCode == 200, let name = task.taskDescription
    else { return }
    // A file that can't be moved is downloaded again.
    try? FileManager.default.moveItem(at: location, to: place(name))
  }

  nonisolated func urlSessionDidFinishEvents(forBackgroundURLSession session: URLSession) {
    Task { @MainActor in didFinish?() }
  }
}
