internal import TesseraFetch
internal import TesseraJSON
internal import TesseraOutput
internal import TesseraState
internal import TesseraSystem

extension OutputStatus {
  /// The document that `status --json` prints.
  ///
  /// - Parameter count: how many of the last runs it has.
  package func json(runs count: Int) -> [UInt8] {
    var writer = JSONWriter(indent: 2)
    writer.object { object in
      object.member("output", output)
      object.member("time", Host.timestamp(now))
      if let holder { object.member("inProgress", holder) }
      if let busySince { object.member("inProgressSince", Host.timestamp(busySince)) }
      if let imagesDone { object.member("imagesDone", imagesDone) }
      object.member("killed", wasKilled)
      object.name("problems")
      object.array { list in for problem in problems { list.value(problem) } }
      object.name("runs")
      object.array { list in
        for run in runs.prefix(count) {
          list.object { object in
            object.member("time", run.time)
            if let shard = run.shard { object.member("shard", shard) }
            run.entry.write(to: &object)
          }
        }
      }
      object.name("summary")
      object.object { summary.write(to: &$0) }
      writeFailures(to: &object)
      writeKept(to: &object)
      object.name("figures")
      object.object { list in
        for (figure, value) in figures.known { list.member(figure.member, value) }
      }
    }
    return writer.take() + [UInt8(ascii: "\n")]
  }

  private func writeFailures(to object: inout JSONWriter) {
    func write(_ groups: [FailureCensus.Group], as name: String, _ object: inout JSONWriter) {
      object.name(name)
      object.array { list in
        for group in groups {
          list.object { entry in
            entry.member("name", group.name)
            entry.member("images", group.count)
            entry.member("ids", group.ids)
            if let end = group.oldestStale.flatMap(staleEnd(of:)) {
              entry.member("staleUntil", end)
            }
            guard !group.httpStatuses.isEmpty else { return }
            entry.name("httpStatuses")
            entry.object { list in
              for (status, count) in group.statuses { list.member("\(status)", count) }
            }
          }
        }
      }
    }
    object.name("failures")
    object.object { object in
      if let run = runWithoutCatalog { object.member("ofRun", run.time) }
      object.member("failed", failures.failed)
      object.member("stale", failures.stale)
      if let staleEnd { object.member("staleUntil", staleEnd) }
      write(failures.byCode, as: "byCode", &object)
      write(Array(failures.byHost.prefix(Self.listedHosts)), as: "byHost", &object)
      object.member("withoutHost", failures.withoutHost)
      object.member("isApproximate", failures.isApproximate)
    }
    object.name("bans")
    object.array { list in
      for ban in bans {
        list.object { entry in
          entry.member("host", ban.host)
          entry.member("answers", ban.answers)
          entry.member("rejected", ban.rejected)
        }
      }
    }
  }

  /// In the document; a person gets fewer.
  private static let listedHosts = 1_000

  private func writeKept(to object: inout JSONWriter) {
    object.name("kept")
    object.object { object in
      if let current = kept.current {
        object.name("catalog")
        object.object { entry in
          entry.member("path", current.name)
          if let images = current.images { entry.member("images", images) }
          entry.member("bytes", current.bytes)
          entry.member("digest", current.digest)
          if let rollbackTime { entry.member("rolledBack", rollbackTime) }
        }
      }
      object.name("catalogs")
      object.array { list in
        for (entry, end) in zip(kept.catalogs, kept.ends) {
          list.object { object in
            entry.write(to: &object)
            object.member("until", end)
          }
        }
      }
      object.member("indices", kept.companions)
      object.member("patches", kept.patches)
      object.member("shardResults", kept.shards)
    }
    object.name("prune")
    object.object { object in
      object.member("deletable", unnamed.deletable)
      object.member("deletableBytes", unnamed.deletableBytes)
      object.member("waiting", unnamed.waiting)
      object.member("waitingBytes", unnamed.waitingBytes)
      if let next = unnamed.nextDeletion { object.member("nextDeletion", Host.timestamp(next)) }
    }
  }
}
