internal import TesseraCatalog
internal import TesseraFetch
internal import TesseraJSON
internal import TesseraManifest
internal import TesseraSystem

extension RunReport {
  /// The document `run.json`, for `run --json`.
  package var json: [UInt8] { json(below: []) }

  /// The document `run.json`. It is beside the catalog, and may be as public.
  ///
  /// - Parameter folders: paths of the output, from which on paths in warnings are shown.
  func json(below folders: [String]) -> [UInt8] {
    let places = folders.flatMap { [$0, FileSystem.realPath($0)].compactMap(\.self) }
      .sorted { $0.count > $1.count }
    func shown(_ warning: String) -> String {
      places.reduce(warning) { $0.replacing("\"\($1)/", with: "\"") }
    }
    var writer = JSONWriter(indent: 2)
    writer.object { object in
      object.member("schema", "tessera-run/1")
      object.member("started", Host.timestamp(started))
      object.member("seconds", seconds)
      writeItems(to: &object)
      writeProblems(to: &object)
      writeBans(to: &object)
      writeWork(to: &object)
      object.member("peakMemoryBytes", peakMemory)
      object.name("slowest")
      object.array { list in
        for item in slowest {
          list.object { entry in
            entry.member("id", item.id)
            entry.member("seconds", item.ownTime.inSeconds)
            entry.member("fetchSeconds", item.fetching.inSeconds)
            entry.member("transcodeSeconds", item.transcoding.inSeconds)
          }
        }
      }
      object.name("warnings")
      object.array { list in for warning in warnings { list.value(shown(warning)) } }
    }
    return writer.take() + [UInt8(ascii: "\n")]
  }

  private func writeItems(to object: inout JSONWriter) {
    object.name("items")
    object.object { items in
      items.member("total", total)
      for status in CatalogImage.Status.allCases {
        items.member(status.rawValue, count(status.rawValue))
      }
      items.member("notReached", notReached)
      items.member("forgotten", forgotten)
      items.member("encodedURLs", encodedURLs)
      items.member("others", others ?? 0)
    }
    object.name("changes")
    object.object { list in
      for change in ItemReport.Change.allCases {
        list.member(change.rawValue, changes[change, default: 0])
      }
    }
    object.name("errors")
    object.object { list in
      for (code, count) in errors.sorted(by: { $0.key < $1.key }) { list.member(code, count) }
    }
    object.name("examples")
    object.object { list in
      for (code, example) in examples.sorted(by: { $0.key < $1.key }) {
        list.name(code)
        list.object { entry in
          entry.member("id", example.id)
          entry.member("message", example.message)
        }
      }
    }
  }

  private func writeProblems(to object: inout JSONWriter) {
    object.name("manifestProblems")
    object.object { group in
      group.member("total", problemCount)
      group.name("first")
      group.array { list in
        for problem in problems {
          list.object { entry in
            if let list = problem.list { entry.member("manifest", list) }
            entry.member("line", problem.line)
            entry.member("message", problem.message)
          }
        }
      }
    }
  }

  private func writeBans(to object: inout JSONWriter) {
    object.name("bans")
    object.array { list in
      for ban in bans.prefix(Self.keptBans) {
        list.object { entry in
          if showsHosts { entry.member("host", ban.host) }
          entry.member("answers", ban.answers)
          entry.member("rejected", ban.rejected)
        }
      }
    }
  }

  private func writeWork(to object: inout JSONWriter) {
    object.name("fetch")
    object.object { fetch in
      fetch.member("requests", requests)
      fetch.member("retries", retries)
      fetch.member("notModified", notModified)
      fetch.member("bytes", bytesFetched)
      fetch.member("transferSeconds", fetching.inSeconds)
    }
    object.name("variants")
    object.object { variants in
      variants.member("asked", variantsAsked)
      variants.member("delivered", variantsDelivered)
      variants.member("made", variantsMade)
      variants.member("reused", variantsReused)
      variants.member("bytesWritten", bytesWritten)
    }
    object.name("upgrade")
    object.object { upgrade in
      upgrade.member("images", upgradedImages)
      upgrade.member("files", upgradedFiles)
      upgrade.member("bytes", upgradedBytes)
      upgrade.member("waiting", upgradesWaiting)
      upgrade.member("jobSeconds", upgradeSeconds)
    }
    object.name("tables")
    object.object { tables in
      tables.member("made", tablesMade)
      tables.member("reused", tablesReused)
      tables.member("leftOut", tablesLeftOut)
    }
    object.member("decodes", decodes)
    object.member("headerDiffers", headerDiffers)
    object.member("sourceBytes", sourceBytes)
    object.name("view")
    object.object { view in
      view.member("bytes", views.meanBytes)
      view.member("exactBytes", views.meanExactBytes)
    }
    object.name("workers")
    object.object { group in
      group.member("count", workers)
      group.member("jobSeconds", transcoding.inSeconds)
      group.member("replaced", workersReplaced)
    }
  }
}
