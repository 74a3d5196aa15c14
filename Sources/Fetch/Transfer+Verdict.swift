extension Transfer {
  /// Why a transfer was ended from our side.
  enum Verdict: Equatable {
    case enough
    case error(FetchError)

    /// Nil where the receiver wants more.
    init?(_ verdict: BodyVerdict) {
      switch verdict {
      case .more: return nil
      case .enough: self = .enough
      case .failed(let message): self = .error(FetchError(.local, message))
      }
    }
  }
}
