import Foundation

/// Reads the headers of some files repeatedly and reports how many per second on one core.
@main enum HeaderSpeed {
  static func main() throws {
    var files: [String: [[UInt8]]] = [:]
    for path in CommandLine.arguments.dropFirst() {
      // The bytes of a first request.
      let bytes = Array(try Data(contentsOf: URL(filePath: path)).prefix(ReadAhead.network.first))
      guard case .header(let header) = ImageHeader.read(bytes.span, isWhole: false) else {
        continue
      }
      files[header.format.rawValue, default: []].append(bytes)
    }
    for (format, files) in files.sorted(by: { $0.key < $1.key }) {
      var count = 0
      var pixels = 0
      let start = ContinuousClock.now
      var seconds = 0.0
      while seconds < 1 {
        for _ in 0..<1_000 {
          for bytes in files {
            if case .header(let header) = ImageHeader.read(bytes.span, isWhole: false) {
              pixels &+= header.pixelCount
            }
          }
        }
        count += 1_000 * files.count
        let time = start.duration(to: .now).components
        seconds = Double(time.seconds) + Double(time.attoseconds) / 1e18
      }
      // The sum keeps the work from being optimised away.
      precondition(pixels != 0)
      print("\(format): \(Int(Double(count) / seconds)) headers a second (\(files.count) files)")
    }
  }
}
