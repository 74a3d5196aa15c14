package import TesseraJSON

extension RunForecast {
  /// The document that `plan --only… --json` prints.
  package var document: [UInt8] {
    var writer = JSONWriter(indent: 2)
    writer.object { object in
      object.name("next")
      object.object { write(to: &$0) }
    }
    return writer.take() + [UInt8(ascii: "\n")]
  }

  /// The members of the document that `plan --json` prints about the next run.
  package func write(to object: inout JSONWriter) {
    object.name("images")
    object.object { list in
      list.member("total", images)
      if let before { list.member("before", before) }
      for (name, count) in counts { list.member(name, count) }
    }
    if let stop { object.member("stop", stop) }
    object.name("expected")
    object.object { expected.write(to: &$0) }
    object.name("most")
    object.object { most.write(to: &$0) }
    object.member("unmeasured", unmeasured)
    object.name("dropped")
    object.object { dropped.write(to: &$0) }
    object.name("disk")
    object.object { disk.write(to: &$0) }
    guard let room else { return }
    object.name("free")
    object.object { free in
      free.member("bytes", room.bytes)
      if let inodes = room.inodes { free.member("inodes", inodes) }
      free.member("suffices", isDiskShort == (false, false))
    }
  }

  private var counts: [(String, Int)] {
    [
      ("new", new), ("changed", changed), ("gone", gone), ("fresh", fresh),
      ("revalidated", revalidated), ("fetched", fetched), ("copied", copied), ("retried", retried),
      ("forgotten", forgotten), ("problems", problems),
    ]
  }
}

extension RunForecast.Work {
  fileprivate func write(to object: inout JSONWriter) {
    object.member("requests", requests)
    object.member("bytesFetched", Int(bytesFetched))
    object.member("files", files)
    object.member("bytesWritten", Int(bytesWritten))
    object.member("fetchSeconds", fetchSeconds)
    object.member("jobSeconds", jobSeconds)
    object.member("seconds", seconds)
  }
}

extension RunForecast.Files {
  fileprivate func write(to object: inout JSONWriter) {
    object.member("files", count)
    object.member("bytes", bytes)
  }
}
