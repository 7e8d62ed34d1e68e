#ifndef QUIC_RPC_TESTING_RPC_FRAME_BYTES_H_
#define QUIC_RPC_TESTING_RPC_FRAME_BYTES_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "quic/rpc/rpc_frame.h"

namespace sluice {

// Frames byte by byte, right or wrong, written without the code that is tested.
class RpcFrameBytes {
 public:
  // A frame of any type. Its length is said in the shortest form, or in `length_size` bytes.
  RpcFrameBytes& Frame(uint8_t type, absl::string_view payload, size_t length_size = 0);
  RpcFrameBytes& Frame(RpcFrameType type, absl::string_view payload) {
    return Frame(static_cast<uint8_t>(type), payload);
  }
  // The beginning of a frame that says that `length` bytes follow.
  RpcFrameBytes& Head(uint8_t type, uint64_t length, size_t length_size = 8);
  // A request's header; no timeout for 0.
  RpcFrameBytes& Header(absl::string_view method, absl::string_view token = "",
                        uint32_t timeout_ms = 0);
  RpcFrameBytes& Message(absl::string_view payload) {
    return Frame(RpcFrameType::kMessage, payload);
  }
  RpcFrameBytes& Status(uint8_t code, absl::string_view message = "");

  const std::vector<uint8_t>& bytes() const { return bytes_; }

 private:
  std::vector<uint8_t> bytes_;
};

// The bytes of a text, which must outlive the span.
absl::Span<const uint8_t> TextBytes(absl::string_view text);

// Each frame as "type:payload", separated by blanks: "2:ping 2:pong 3:". What is no whole frame is
// "..." at the end.
std::string DescribeRpcFrames(absl::Span<const uint8_t> bytes);

}  // namespace sluice

#endif  // QUIC_RPC_TESTING_RPC_FRAME_BYTES_H_
