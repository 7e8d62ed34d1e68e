#ifndef TOOLS_CTL_DEMO_QUIC_STORY_H_
#define TOOLS_CTL_DEMO_QUIC_STORY_H_

#include <google/protobuf/struct.pb.h>

#include <optional>
#include <string>

#include "absl/time/time.h"
#include "quic/client/client_session.h"
#include "quic/client/io/rpc_client_thread.h"

namespace sluice {

// What a participant's signalling over QUIC took, when all is over. Only numbers; knows no network.
struct QuicStory {
  // Right after the answer to Join.
  RpcClientReport connection;
  WaitingTime join;
  std::optional<WaitingTime> leave;
  // From the answer to Join to the participant's first packet, by the gateway's event.
  std::optional<absl::Duration> first_packet;
};

// "alice joined over QUIC (sluice/1, TLS 1.3, v1): 2 round trips, 3.4 ms; first packet 112 ms after
// the answer; leave 1 round trip, 0.4 ms".
std::string RenderQuicStory(const std::string& name, const QuicStory& story);
// The same for scripts.
google::protobuf::Struct QuicStoryToJson(const QuicStory& story);

}  // namespace sluice

#endif  // TOOLS_CTL_DEMO_QUIC_STORY_H_
