#ifndef TESTS_E2E_QUIC_PARTICIPANT_H_
#define TESTS_E2E_QUIC_PARTICIPANT_H_

#include <google/protobuf/message.h>

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "proto/signalling/v1/signalling_service.pb.h"
#include "quic/calls/rpc_client_connection.h"
#include "quic/client/io/rpc_client_thread.h"
#include "quic/client/ticket_store.h"
#include "tests/e2e/own_srtp_peer.h"

namespace sluice {

namespace sig = ::sluice::signalling::v1;

// A participant who comes over QUIC and speaks sluice/1, on a connection of its own.
class QuicParticipant {
 public:
  // Of the gateway at `address`, "127.0.0.1:12345"; fails the test when that cannot be tried.
  // `tickets` remembers gateways for the next participant, if there is one, and outlives this.
  QuicParticipant(absl::string_view address, const std::string& trusted_pem,
                  TicketStore* tickets = nullptr);

  // One call and its answer, ok or as the gateway said.
  absl::Status Call(absl::string_view method, const std::string& token,
                    const google::protobuf::Message& request, google::protobuf::Message& response,
                    RpcReplay replay = RpcReplay::kHarmful);
  absl::Status Ping(const std::string& token, const std::string& payload = "are you there");
  // Joins with what `peer` is, and gives it what the gateway answered.
  absl::Status Join(const std::string& token, OwnSrtpPeer& peer);
  absl::Status Leave(const std::string& token, sig::LeaveResponse& left);
  std::unique_ptr<RpcClientStream> WatchEvents(const std::string& token);

  RpcClientThread& client() { return *client_; }

 private:
  std::unique_ptr<RpcClientThread> client_;
};

// The next message; nothing when the stream has ended.
bool ReadEvent(RpcClientStream& stream, sig::WatchEventsResponse& response);

}  // namespace sluice

#endif  // TESTS_E2E_QUIC_PARTICIPANT_H_
