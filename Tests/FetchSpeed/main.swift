import Synchronization
import TesseraNet
import TesseraSystem

// Fetches the URLs of a list, sixteen at a time, each into its own file, and prints the seconds
// that this took. Used by Tests/Benchmarks/fetch.
//
//   FetchSpeed LIST FOLDER

/// Writes the bytes it receives into a file.
final class Spool: BodyReceiving {
  private let file: Mutex<File?>

  init(_ path: String) throws { file = Mutex(try File(path, .write)) }

  func receive(_ bytes: RawSpan) -> BodyVerdict {
    file.withLock { file in
      do throws(SystemError) {
        try file?.write(bytes)
        return .more
      } catch {
        return .failed("\(error)")
      }
    }
  }
}

let (list, folder) = (CommandLine.arguments[1], CommandLine.arguments[2])
let urls = String(decoding: try FileSystem.read(list, limit: 1 << 30), as: UTF8.self)
  .split(separator: "\n").map(String.init)
let fetcher = try Fetcher(
  FetchSettings(concurrency: 16, perHost: 16, addresses: AddressPolicy(allow: ["loopback"])))
let start = ContinuousClock.now
let failed = try await withThrowingTaskGroup(of: Bool.self) { group in
  for (index, url) in urls.enumerated() {
    let spool = try Spool(FileSystem.join(folder, "\(index)"))
    group.addTask {
      let request = FetchRequest(url: url, deadline: .seconds(30))
      let answer = await fetcher.fetch(request, host: "one", into: spool)
      return (try? answer.result.get()) == nil
    }
  }
  var count = 0
  for try await isFailed in group where isFailed { count += 1 }
  return count
}
let time = start.duration(to: .now)
precondition(failed == 0, "\(failed) of \(urls.count) failed")
print(Double(time.components.seconds) + Double(time.components.attoseconds) / 1e18)
