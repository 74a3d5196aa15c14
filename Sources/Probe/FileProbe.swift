internal import TesseraImageHeader
internal import TesseraSystem
internal import TesseraText

/// Reads an image's size from a local file.
struct FileProbe {
  /// How long to wait for a pipe or another file without a length.
  let deadline: Duration

  func probe(_ path: String) async -> ProbeAnswer {
    var count = 0
    do throws(SystemError) {
      // open(2) accepts a directory, which would then be read like a pipe.
      if FileSystem.isDirectory(path) { throw SystemError("read", path, code: 21) }  // EISDIR
      let file = try File(path, .readWithoutWaiting)
      let result =
        file.isRegular
        ? ProbeAnswer.result(try Self.readParts(of: file, &count))
        : try await readStream(file, &count)
      return ProbeAnswer(source: path, result: result, bytesRead: count)
    } catch {
      let failure = ProbeFailure(
        code: error.isMissingFile ? "not-found" : "local", message: error.description.asSentence)
      return ProbeAnswer(source: path, result: .failure(failure), bytesRead: count)
    }
  }

  /// Reads the parts of a regular file that the header reader requests.
  private static func readParts(
    of file: borrowing File, _ count: inout Int
  ) throws(SystemError) -> HeaderReading {
    var reader = HeaderReader(fileSize: try file.size())
    var ahead = ReadAhead.disk
    while case .needs(let wanted) = reader.reading, let window = ahead.next(for: wanted) {
      let bytes = try file.read(window.count, at: window.lowerBound)
      count += bytes.count
      reader.add(bytes.span, at: window.lowerBound)
      // The file has become shorter since its size was read.
      if bytes.count < wanted.count { reader.end(at: window.lowerBound + bytes.count) }
    }
    reader.settle()
    return reader.reading
  }

  /// Reads a pipe or another file without a length from its start, until the size is known.
  private func readStream(
    _ file: consuming File, _ count: inout Int
  ) async throws(SystemError) -> Result<ImageHeader, ProbeFailure> {
    let input = InputReader(file)
    let end = ContinuousClock.now + deadline
    let timer = Task {
      try await Task.sleep(until: end)
      input.stop()
    }
    defer { timer.cancel() }
    var reader = HeaderReader()
    while reader.isSearching, !reader.isOver(HeaderReader.reach) {
      guard let bytes = try await input.read(ReadAhead.disk.hop) else {
        return .failure(
          ProbeFailure(
            code: "timeout", message: "No data arrived for \(deadline).", isRetryable: true))
      }
      if bytes.isEmpty {
        reader.end()
        break
      }
      count += bytes.count
      reader.add(bytes.span)
    }
    return ProbeAnswer.result(reader.streamed())
  }
}
