extension Dictionary where Key == String {
  /// Its entries as people read counts: the highest first, and equal ones by name.
  package func descending(by count: (Value) -> Int) -> [(key: String, value: Value)] {
    sorted { (count($1.value), $0.key) < (count($0.value), $1.key) }
  }
}

extension Dictionary where Key == String, Value == Int {
  /// Its entries, the highest count first, and equal ones by name.
  package var descending: [(key: String, value: Int)] { descending { $0 } }
}
