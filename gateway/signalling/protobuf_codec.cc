#include "gateway/signalling/protobuf_codec.h"

#include "absl/strings/str_cat.h"

namespace sluice {
namespace {

using ::google::protobuf::Message;

class Codec final : public CallCodec {
 public:
  // The parser has its own bound for messages in messages (100); nothing of ours is deeper than
  // ten, and what is skipped is not built.
  grpc::Status Decode(absl::Span<const uint8_t> body, Message& request) const override {
    if (request.ParseFromArray(body.data(), static_cast<int>(body.size()))) {
      return grpc::Status::OK;
    }
    return grpc::Status(grpc::StatusCode::INVALID_ARGUMENT,
                        absl::StrCat("the message is no ", request.GetTypeName()));
  }

  absl::StatusOr<std::string> Encode(const SignallingMethodRow&,
                                     const Message& message) const override {
    return message.SerializeAsString();
  }
};

}  // namespace

const CallCodec& ProtobufCodec() {
  static const Codec codec;
  return codec;
}

}  // namespace sluice
