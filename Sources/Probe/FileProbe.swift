internal import TesseraImageHeader
internal import TesseraSystem
internal import TesseraText

/// Reads an image's size from a local file.
struct FileProbe {
  /// How long to wait for a pipe or another file without a length.
  let deadline: Duration
  /// At most this many bytes of one file are read.
  let maximumBytes: Int

  func probe(_ path: String) async -> ProbeAnswer {
    var count = 0
    do throws(SystemError) {
      // open(2) accepts a directory, which would then be read like a pipe.
      if FileSystem.isDirectory(path) { throw SystemError("read", path, code: 21) }  // EISDIR
      let file = try File(path, .readWithoutWaiting)
      let result =
        file.isRegular
        ? try readParts(of: file, &count)
        : try await readStream(file, &count)
      return ProbeAnswer(source: path, result: result, bytesRead: count)
    } catch {
      let failure = ProbeFailure(
        code: error.isMissingFile ? "not-found" : "not-readable",
        message: error.description.asSentence)
      return ProbeAnswer(source: path, result: .failure(failure), bytesRead: count)
    }
  }

  /// Reads the parts of a regular file that the header reader requests.
  private func readParts(
    of file: borrowing File, _ count: inout Int
  ) throws(SystemError) -> Result<ImageHeader, ProbeFailure> {
    var reader = HeaderReader(fileSize: try file.size())
    var ahead = ReadAhead.disk
    while case .needs(let wanted) = reader.reading, let window = ahead.next(for: wanted) {
      guard count < maximumBytes else { return .failure(tooLarge) }
      let part = min(window.count, maximumBytes - count)
      let bytes = try file.read(part, at: window.lowerBound)
      count += bytes.count
      reader.add(bytes.span, at: window.lowerBound)
      // The file has become shorter since its size was read.
      if bytes.count < min(part, wanted.count) { reader.end(at: window.lowerBound + bytes.count) }
    }
    reader.settle()
    return ProbeAnswer.result(reader.reading)
  }

  private var tooLarge: ProbeFailure {
    ProbeFailure(
      code: "too-large", message: "The first \(maximumBytes) bytes do not state the image's size.")
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
      guard count < maximumBytes else { return .failure(tooLarge) }
      guard let bytes = try await input.read(min(ReadAhead.disk.hop, maximumBytes - count)) else {
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
