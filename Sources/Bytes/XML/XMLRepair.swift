/// What many feeds have and XML does not: names of HTML for characters, and control characters. Expat rejects the whole text for one of
/// them; here it costs no more than the element that has it.
enum XMLRepair {
  /// The characters from U+00A0 on, by their names in HTML (HTML 4.01, section 24.2.1).
  private static let latin = """
    nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 acute micro para middot \
    cedil sup1 ordm raquo frac14 frac12 frac34 iquest Agrave Aacute Acirc Atilde Auml Aring AElig Ccedil Egrave Eacute Ecirc Euml \
    Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash Ugrave Uacute Ucirc Uuml Yacute THORN szlig \
    agrave aacute acirc atilde auml aring aelig ccedil egrave eacute ecirc euml igrave iacute icirc iuml eth ntilde ograve oacute \
    ocirc otilde ouml divide oslash ugrave uacute ucirc uuml yacute thorn yuml
    """
  /// Those that texts have besides (section 24.4.1).
  private static let others: [String: String] = [
    "OElig": "Œ", "oelig": "œ", "Scaron": "Š", "scaron": "š", "Yuml": "Ÿ", "ensp": "\u{2002}",
    "emsp": "\u{2003}", "thinsp": "\u{2009}", "ndash": "–", "mdash": "—", "lsquo": "‘",
    "rsquo": "’", "sbquo": "‚", "ldquo": "“", "rdquo": "”", "bdquo": "„", "dagger": "†",
    "bull": "•", "hellip": "…", "permil": "‰", "lsaquo": "‹", "rsaquo": "›", "euro": "€",
    "trade": "™",
  ]
  private static let characters: [String: String] = {
    let names = latin.split(separator: " ").map(String.init)
    let pairs = zip(names, 0xA0...0xFF).map { name, point in
      (name, Unicode.Scalar(point).map { String($0) } ?? "")
    }
    return others.merging(pairs) { own, _ in own }
  }()

  /// The character that an entity stands for in HTML; nil for other names.
  static func character(_ entity: String) -> String? { characters[entity] }

  /// The first entity of a tag's bytes that XML itself does not have (XML 1.0, section 4.6).
  static func unknownEntity(_ tag: UnsafeRawBufferPointer) -> String? {
    guard tag.contains(UInt8(ascii: "&")) else { return nil }
    let text = String(decoding: tag, as: UTF8.self)
    return text.matches(of: /&([^#;&][^;&]*);/).map { String($0.1) }
      .first { !["amp", "lt", "gt", "quot", "apos"].contains($0) }
  }

  // MARK: Control characters

  /// Stands for a control character: an entity that is not declared, so that it is found where it is.
  private static let mark = "control-character"
  static let fault = "has a control character in it, which XML does not allow"

  /// What is wrong with an element that has an entity.
  static func fault(of entity: String) -> String {
    entity == mark
      ? fault : "has the entity &\(entity.prefix(40)); in it, which is not declared"
  }

  /// Whether a text has the mark in it: in CDATA it is not an entity.
  static func hasMark(_ text: String) -> Bool {
    text.utf8.contains(UInt8(ascii: "&")) && text.contains("&\(mark);")
  }

  /// The text with a mark for each control character that XML does not allow (XML 1.0, production 2). Not for UTF-16: NUL stays.
  static func marking(_ bytes: [UInt8]) -> [UInt8] {
    guard bytes.contains(where: isControl) else { return bytes }
    return bytes.flatMap { isControl($0) ? Array("&\(mark);".utf8) : [$0] }
  }

  private static func isControl(_ byte: UInt8) -> Bool {
    (0x01..<0x20).contains(byte) && ![0x09, 0x0A, 0x0D].contains(byte)
  }
}
