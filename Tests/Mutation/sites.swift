// Prints the places of Swift files where one small change breaks the code: a JSON object per line. Tests/mutate compiles
// this against the SwiftSyntax of the toolchain, which is not a module that a package can name.
//
//   sites FILE…
//
// The changes are those of the literature on mutation testing (Offutt et al., "An experimental determination of
// sufficient mutant operators", 1996), and those that the errors of this project suggest: a dropped element, two
// arguments in the wrong order, an empty result.
import Foundation
import SwiftOperators
import SwiftParser
import SwiftSyntax

/// A change of one file, at bytes `start..<end`.
struct Site: Encodable {
  let file: String
  let start: Int
  let end: Int
  /// One of those that README.md names.
  let kind: String
  let original: String
  let mutated: String
  /// Whether a statement is replaced, and not an expression. The replacement may be nothing.
  let isStatement: Bool
}

/// The other operators that each becomes.
let comparisons: [String: [String]] = [
  "<": ["<=", ">="], "<=": ["<", ">"], ">": [">=", "<="], ">=": [">", "<"], "==": ["!="],
  "!=": ["=="],
  "===": ["!=="], "!==": ["==="],
]
let arithmetic: [String: String] = [
  "+": "-", "-": "+", "*": "/", "/": "*", "%": "/", "&+": "&-", "&-": "&+", "&*": "&+", "<<": ">>",
  ">>": "<<",
  "&": "|", "|": "&", "^": "&", "..<": "...", "...": "..<",
]
let assignments: [String: String] = [
  "+=": "-=", "-=": "+=", "*=": "/=", "/=": "*=", "|=": "&=", "&=": "|=", "<<=": ">>=",
  ">>=": "<<=", "&+=": "&-=",
]

final class Sites: SyntaxVisitor {
  private let file: String
  private(set) var found: [Site] = []

  init(_ file: String) {
    self.file = file
    super.init(viewMode: .sourceAccurate)
  }

  private func add(
    _ kind: String, _ node: some SyntaxProtocol, _ mutated: String, isStatement: Bool = false
  ) {
    found.append(
      Site(
        file: file, start: node.positionAfterSkippingLeadingTrivia.utf8Offset,
        end: node.endPositionBeforeTrailingTrivia.utf8Offset, kind: kind,
        original: node.trimmedDescription,
        mutated: mutated, isStatement: isStatement))
  }

  // MARK: Operators

  override func visit(_ node: InfixOperatorExprSyntax) -> SyntaxVisitorContinueKind {
    guard let token = node.operator.as(BinaryOperatorExprSyntax.self)?.operator.text else {
      return .visitChildren
    }
    let (left, right) = (node.leftOperand.trimmedDescription, node.rightOperand.trimmedDescription)
    for other in comparisons[token] ?? [] { add("comparison", node, "\(left) \(other) \(right)") }
    if let other = arithmetic[token] { add("arithmetic", node, "\(left) \(other) \(right)") }
    if let other = assignments[token], node.parent?.is(CodeBlockItemSyntax.self) == true {
      add("arithmetic", node, "\(left) \(other) \(right)", isStatement: true)
    }
    if token == "&&" || token == "||" {
      add("condition", node, left)
      add("condition", node, right)
    }
    if token == "??" { add("empty", node, right) }
    return .visitChildren
  }

  override func visit(_ node: PrefixOperatorExprSyntax) -> SyntaxVisitorContinueKind {
    if node.operator.text == "!" { add("negation", node, node.expression.trimmedDescription) }
    if node.operator.text == "-" { add("arithmetic", node, node.expression.trimmedDescription) }
    return .visitChildren
  }

  // MARK: Conditions

  override func visit(_ node: ConditionElementSyntax) -> SyntaxVisitorContinueKind {
    guard case .expression(let condition) = node.condition else { return .visitChildren }
    negate(condition)
    guard let list = node.parent, let statement = list.parent else { return .visitChildren }
    if statement.is(GuardStmtSyntax.self) || list.children(viewMode: .sourceAccurate).count > 1 {
      add("guard", condition, "true")
    } else if let body = statement.as(IfExprSyntax.self)?.body, Self.leaves(body) {
      add("guard", condition, "false")
    }
    return .visitChildren
  }

  override func visit(_ node: TernaryExprSyntax) -> SyntaxVisitorContinueKind {
    negate(node.condition)
    return .visitChildren
  }

  /// A comparison, and a condition with a sign before it, are negated where they stand.
  private func negate(_ condition: ExprSyntax) {
    if let infix = condition.as(InfixOperatorExprSyntax.self),
      comparisons[infix.operator.trimmedDescription] != nil
    {
      return
    }
    if condition.as(PrefixOperatorExprSyntax.self)?.operator.text == "!" { return }
    add("negation", condition, "!(\(condition.trimmedDescription))")
  }

  private static func leaves(_ body: CodeBlockSyntax) -> Bool {
    guard let last = body.statements.last?.item else { return false }
    return last.is(ReturnStmtSyntax.self) || last.is(ThrowStmtSyntax.self)
      || last.is(ContinueStmtSyntax.self)
      || last.is(BreakStmtSyntax.self)
  }

  // MARK: Constants

  override func visit(_ node: IntegerLiteralExprSyntax) -> SyntaxVisitorContinueKind {
    if !Self.isDeclared(node) { add("constant", node, "\(node.literal.text) + 1") }
    return .skipChildren
  }

  override func visit(_ node: FloatLiteralExprSyntax) -> SyntaxVisitorContinueKind {
    if !Self.isDeclared(node) { add("constant", node, "\(node.literal.text) * 2") }
    return .skipChildren
  }

  override func visit(_ node: BooleanLiteralExprSyntax) -> SyntaxVisitorContinueKind {
    if !Self.isDeclared(node) {
      add("constant", node, node.literal.text == "true" ? "false" : "true")
    }
    return .skipChildren
  }

  /// Whether it stands where only a literal may.
  private static func isDeclared(_ node: some ExprSyntaxProtocol) -> Bool {
    var parent = node.parent
    if parent?.is(PrefixOperatorExprSyntax.self) == true { parent = parent?.parent }
    return parent?.parent?.is(EnumCaseElementSyntax.self) == true
      || parent?.is(ExpressionPatternSyntax.self) == true
  }

  // MARK: Arguments, elements

  override func visit(_ node: FunctionCallExprSyntax) -> SyntaxVisitorContinueKind {
    // Their arguments may come in any order.
    if ["min", "max", "blocks"].contains(node.calledExpression.trimmedDescription) {
      return .visitChildren
    }
    let arguments = Array(node.arguments)
    for (first, second) in zip(arguments, arguments.dropFirst()) {
      guard !Self.isFixed(first.expression), !Self.isFixed(second.expression) else { continue }
      let (one, other) = (first.expression.trimmedDescription, second.expression.trimmedDescription)
      if one == other { continue }
      let text = Self.replacing(node, [(first.expression, other), (second.expression, one)])
      add("arguments", node, text)
    }
    return .visitChildren
  }

  private static func isFixed(_ argument: ExprSyntax) -> Bool {
    argument.is(InOutExprSyntax.self) || argument.is(ClosureExprSyntax.self)
  }

  override func visit(_ node: ArrayExprSyntax) -> SyntaxVisitorContinueKind {
    drop(node.elements.map { ExprSyntax($0.expression) }, of: node) {
      "[\($0.joined(separator: ", "))]"
    }
    return .visitChildren
  }

  private func drop(
    _ elements: [ExprSyntax], of node: some SyntaxProtocol, _ join: ([String]) -> String
  ) {
    guard elements.count > 1 else { return }
    let texts = elements.map(\.trimmedDescription)
    for index in texts.indices {
      var rest = texts
      rest.remove(at: index)
      add("element", node, join(rest))
    }
  }

  override func visit(_ node: DictionaryExprSyntax) -> SyntaxVisitorContinueKind {
    guard case .elements(let list) = node.content, list.count > 1 else { return .visitChildren }
    let texts = list.map { "\($0.key.trimmedDescription): \($0.value.trimmedDescription)" }
    for index in texts.indices {
      var rest = texts
      rest.remove(at: index)
      add("element", node, "[\(rest.joined(separator: ", "))]")
    }
    return .visitChildren
  }

  /// The node's text with others in the place of some of its parts.
  private static func replacing(
    _ node: some SyntaxProtocol, _ parts: [(ExprSyntax, String)]
  ) -> String {
    let start = node.positionAfterSkippingLeadingTrivia.utf8Offset
    var bytes = Array(node.trimmedDescription.utf8)
    for (part, text) in parts.reversed() {
      let from = part.positionAfterSkippingLeadingTrivia.utf8Offset - start
      let to = part.endPositionBeforeTrailingTrivia.utf8Offset - start
      bytes.replaceSubrange(from..<to, with: text.utf8)
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  // MARK: Statements

  override func visit(_ node: CodeBlockItemSyntax) -> SyntaxVisitorContinueKind {
    guard case .expr(let statement) = node.item else { return .visitChildren }
    var inner = statement
    while true {
      if let attempt = inner.as(TryExprSyntax.self) {
        inner = attempt.expression
      } else if let wait = inner.as(AwaitExprSyntax.self) {
        inner = wait.expression
      } else {
        break
      }
    }
    let isAssignment =
      inner.as(InfixOperatorExprSyntax.self).map {
        $0.operator.is(AssignmentExprSyntax.self)
          || assignments[$0.operator.trimmedDescription] != nil
      } ?? false
    if isAssignment || inner.is(FunctionCallExprSyntax.self) {
      add("statement", statement, "", isStatement: true)
    }
    if Self.isResult(node) { empty(statement, at: node) }
    return .visitChildren
  }

  // MARK: Results

  override func visit(_ node: ReturnStmtSyntax) -> SyntaxVisitorContinueKind {
    if let value = node.expression { empty(value, at: node) }
    return .visitChildren
  }

  /// Whether it is the one expression of a body, whose value is returned.
  private static func isResult(_ node: CodeBlockItemSyntax) -> Bool {
    guard let list = node.parent?.as(CodeBlockItemListSyntax.self), list.count == 1 else {
      return false
    }
    let owner = list.parent
    return owner?.parent?.is(FunctionDeclSyntax.self) == true
      || owner?.is(AccessorBlockSyntax.self) == true
      || owner?.parent?.is(AccessorDeclSyntax.self) == true
  }

  private func empty(_ value: ExprSyntax, at node: some SyntaxProtocol) {
    guard let type = Self.resultType(of: Syntax(node)) else { return }
    let text = value.trimmedDescription
    let mutated: String
    switch type.trimmedDescription {
    case "Bool":
      negate(value)
      return
    case "String", "Substring": mutated = "\"\""
    case "Int", "Double", "UInt64", "Int64", "UInt32": mutated = "0"
    case let name where name.hasSuffix("?"): mutated = "nil"
    case let name where name.hasPrefix("[") && type.is(DictionaryTypeSyntax.self): mutated = "[:]"
    case let name where name.hasPrefix("[") || name.hasPrefix("Set<"): mutated = "[]"
    default: return
    }
    if text != mutated { add("empty", value, mutated) }
  }

  private static func resultType(of node: Syntax) -> TypeSyntax? {
    var place = node.parent
    while let current = place {
      if current.is(ClosureExprSyntax.self) { return nil }
      if let function = current.as(FunctionDeclSyntax.self) {
        return function.signature.returnClause?.type
      }
      if let binding = current.as(PatternBindingSyntax.self), binding.accessorBlock != nil {
        return binding.typeAnnotation?.type
      }
      if let member = current.as(SubscriptDeclSyntax.self) { return member.returnClause.type }
      place = current.parent
    }
    return nil
  }

  // MARK: What is not compiled, or only for one platform

  override func visit(_ node: IfConfigDeclSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
  override func visit(_ node: AttributeSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
  override func visit(_ node: EnumCaseElementSyntax) -> SyntaxVisitorContinueKind {
    node.rawValue == nil ? .visitChildren : .skipChildren
  }
}

let encoder = JSONEncoder()
for file in CommandLine.arguments.dropFirst() {
  let source = try String(contentsOfFile: file, encoding: .utf8)
  let tree = OperatorTable.standardOperators.foldAll(Parser.parse(source: source)) { _ in }
  let sites = Sites(file)
  sites.walk(tree)
  for site in sites.found {
    FileHandle.standardOutput.write(try encoder.encode(site) + Data("\n".utf8))
  }
}
