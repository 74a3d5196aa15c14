internal import TesseraJSON

/// The first line that a fork server sends: it is ready, and these are the means of its workers.
package struct WorkerHello: Sendable, Equatable {
  /// Identifies the messages of this build. Coordinator and worker must come from one build.
  package static let protocolVersion = 11

  package var protocolVersion: Int
  package var libvips: String
  package var confinement: Confinement

  package init(
    protocolVersion: Int = Self.protocolVersion, libvips: String, confinement: Confinement
  ) {
    self.protocolVersion = protocolVersion
    self.libvips = libvips
    self.confinement = confinement
  }
}

/// Which mechanisms of the kernel confine a worker.
package struct Confinement: Sendable, Equatable {
  /// The version of Landlock, which leaves a worker only the system's libraries and fonts; 0 if the
  /// kernel has none.
  package var landlock: Int
  /// Whether a system call filter denies it the network and new processes.
  package var hasSeccomp: Bool

  package init(landlock: Int, hasSeccomp: Bool) {
    self.landlock = landlock
    self.hasSeccomp = hasSeccomp
  }
}

extension Confinement {
  /// What a worker that an image has taken over could do, because the kernel does not prevent it: a
  /// clause without its full stop. Nil for a worker that is wholly confined.
  package var gap: String? {
    switch (landlock > 0, hasSeccomp) {
    case (true, true): nil
    case (false, true): "it could read this machine's files (no Landlock)"
    case (true, false): "it could use the network and start processes (no seccomp)"
    case (false, false):
      "it could read this machine's files, use the network and start processes (neither Landlock nor "
        + "seccomp)"
    }
  }
}

extension WorkerHello {
  package var line: [UInt8] {
    WireLine.object { object in
      object.member("protocol", protocolVersion)
      object.member("libvips", libvips)
      object.member("landlock", confinement.landlock)
      object.member("seccomp", confinement.hasSeccomp)
    }
  }

  package init(line: [UInt8]) throws(WireError) {
    let message = try Message(line)
    self.init(
      protocolVersion: try message.int("protocol"), libvips: try message.string("libvips"),
      confinement: Confinement(
        landlock: try message.int("landlock"), hasSeccomp: try message.bool("seccomp")))
  }
}
