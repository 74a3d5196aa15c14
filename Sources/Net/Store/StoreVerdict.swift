/// What an answer of an object store means for its request. Pure.
enum StoreVerdict: Equatable {
  case done
  /// It may succeed if it is sent again.
  case again(String)
  case failed(StoreError.Kind, String)

  /// - Parameters:
  ///   - code: the element `Code` of an error's body, such as `NoSuchKey`; empty if there is none.
  ///   - message: its element `Message`.
  init(status: Int, code: String, message: String) {
    // Answers to HEAD have no body.
    let detail = code.isEmpty ? "\(status)" : "\(status) \(code)"
    let rest = message.isEmpty ? "" : " (\(message))"
    switch (status, code) {
    case (200..<300, _): self = .done
    case (_, "NoSuchBucket"):
      self = .failed(
        .rejected, "is in a bucket that does not exist; create it, or correct its name")
    case (404, _): self = .failed(.missing, "is not there")
    // Two conditional writes at the same time: neither may have won.
    case (409, "ConditionalRequestConflict"), (409, "OperationAborted"): self = .again(detail)
    case (412, _), (304, _): self = .failed(.condition, "is another object by now")
    case (416, _): self = .failed(.behindEnd, "is shorter than expected")
    case (501, _), (_, "NotImplemented"):
      self = .failed(
        .unsupported, "can't be changed like this: the store answered \(detail)\(rest)")
    case (_, "RequestTimeTooSkewed"):
      self = .failed(
        .rejected, "was rejected: the store answered \(detail); set this machine's clock")
    case (_, "SignatureDoesNotMatch"), (_, "InvalidAccessKeyId"), (_, "ExpiredToken"),
      (_, "InvalidToken"), (401, _):
      self = .failed(
        .rejected,
        "was rejected: the store answered \(detail)\(rest); check the credentials "
          + "(AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN) and the region")
    case (403, _):
      self = .failed(
        .rejected,
        "was rejected: the store answered \(detail)\(rest); check the credentials and their rights, "
          + "and this machine's clock")
    case (300..<400, _):
      self = .failed(
        .rejected,
        "is elsewhere: the store answered \(detail); check the region (AWS_REGION) and the endpoint "
          + "(AWS_ENDPOINT_URL)")
    case (429, _), (500, _), (502...504, _), (_, "RequestTimeout"), (_, "SlowDown"):
      self = .again("the store answered \(detail)\(rest)")
    case _ where GatewayStatus.contains(status):
      self = .again("the store answered \(detail)\(rest)")
    default: self = .failed(.rejected, "was rejected: the store answered \(detail)\(rest)")
    }
  }

  init(_ response: StoreResponse) {
    let body = response.status >= 300 ? String(decoding: response.body, as: UTF8.self) : ""
    self.init(
      status: response.status, code: StoreXML.texts(of: "Code", in: body[...]).first ?? "",
      message: StoreXML.texts(of: "Message", in: body[...]).first ?? "")
  }
}
