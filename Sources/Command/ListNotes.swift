/// What `check`, `init` and `run` say of a list besides its mistakes.
enum ListNotes {
  /// URLs that are requested otherwise than they are written.
  static func encoded(_ count: Int) -> String {
    "\(Amount.count(count, "URL")) with blanks or other characters that a URL can't have; they are encoded as browsers "
      + "do"
  }

  /// Rows that are not images: a line for each kind of them.
  static func omitted(imageless: Int, unpublished: Int) -> [String] {
    var notes: [String] = []
    if imageless > 0 {
      notes.append("\(Amount.count(imageless, "row")) of the list without an image")
    }
    if unpublished > 0 {
      notes.append(
        "\(Amount.count(unpublished, "row")) of what is not published (\"published\" under columns); their images are left out"
      )
    }
    return notes
  }
}
