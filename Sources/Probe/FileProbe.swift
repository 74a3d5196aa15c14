internal import TesseraImageHeader
internal import TesseraSystem
internal import TesseraText

/// Learns a picture's size from a file.
struct FileProbe {
  /// What can only be read on, a pipe, may keep its reader waiting for so long.
  let deadline: Duration

  func probe(_ path: String) async -> Prober.Answer {
    var count = 0
    do throws(SystemError) {
      if FileSystem.isDirectory(path) { throw SystemError("read", path, code: 21) }  // EISDIR
      let file = try File(path, .readWithoutWaiting)
      let result =
        file.isRegular
        ? Prober.result(try Self.jump(in: file, &count)) : try await readOn(file, &count)
      return Prober.Answer(source: path, result: result, bytesRead: count)
    } catch {
      let failure = Prober.Failure(
        code: error.isMissingFile ? "not-found" : "local", message: error.description.asSentence)
      return Prober.Answer(source: path, result: .failure(failure), bytesRead: count)
    }
  }

  /// Reads a file where its header says.
  private static func jump(
    in file: borrowing File, _ count: inout Int
  ) throws(SystemError) -> HeaderReading {
    var reader = HeaderReader(fileSize: try file.size())
    var ahead = ReadAhead.disk
    while case .needs(let wanted) = reader.reading, let window = ahead.next(for: wanted) {
      let bytes = try file.read(window.count, at: window.lowerBound)
      count += bytes.count
      reader.add(bytes.span, at: window.lowerBound)
      // It has become shorter meanwhile.
      if bytes.count < wanted.count { reader.end(at: window.lowerBound + bytes.count) }
    }
    reader.settle()
    return reader.reading
  }

  /// Reads what can only be read on.
  private func readOn(
    _ file: consuming File, _ count: inout Int
  ) async throws(SystemError) -> Result<ImageHeader, Prober.Failure> {
    let input = InputReader(file)
    let end = ContinuousClock.now + deadline
    let timer = Task {
      try await Task.sleep(until: end)
      input.stop()
    }
    defer { timer.cancel() }
    var reader = HeaderReader()
    while reader.isSearching, !reader.isOver(HeaderReader.reach) {
      let bytes = try await input.read(ReadAhead.disk.hop)
      guard !bytes.isEmpty else {
        if ContinuousClock.now >= end {
          return .failure(
            Prober.Failure(
              code: "timeout", message: "Nothing came for \(deadline).", isRetryable: true))
        }
        reader.end()
        break
      }
      count += bytes.count
      reader.add(bytes.span)
    }
    return Prober.result(reader.streamed())
  }
}
