#ifndef TOOLS_CTL_TESTING_FAKE_QUIC_SIGNALLING_H_
#define TOOLS_CTL_TESTING_FAKE_QUIC_SIGNALLING_H_

#include <google/protobuf/message.h>

#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/strings/string_view.h"
#include "absl/synchronization/mutex.h"
#include "base/timestamp.h"
#include "google/rpc/status.pb.h"
#include "proto/signalling/v1/signalling_service.pb.h"
#include "quic/client/io/testing/rpc_test_server.h"
#include "quic/rpc/rpc_service.h"

namespace sluice {

// What participants reach over QUIC, on a free port of loopback, with a certificate for localhost:
// answers Join with what it was told to, and remembers what it was asked with which token.
class FakeQuicSignalling : private RpcService {
 public:
  // "127.0.0.1:port".
  std::string target() const { return server_.target(); }
  // Of the authority that signed its certificate, as PEM.
  const std::string& root_pem() const { return server_.root_pem(); }

  void AnswerJoin(const signalling::v1::JoinResponse& response);
  // All calls fail with it from now on.
  void Fail(const google::rpc::Status& status);
  // What a stream of events carries before it ends.
  void Stream(std::vector<signalling::v1::WatchEventsResponse> responses);

  // "Join <token>: <request as protobuf text>", in order.
  std::vector<std::string> Requests() const;

 private:
  // The listener's thread.
  void OnCall(Timestamp now, const RpcCall& call, const RpcRequest& request) override;
  // The messages that answer a call, and what of it is remembered.
  std::vector<std::string> Answer(absl::string_view method, const std::string& request,
                                  std::string& text) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  mutable absl::Mutex mutex_;
  google::rpc::Status status_ ABSL_GUARDED_BY(mutex_);
  signalling::v1::JoinResponse join_ ABSL_GUARDED_BY(mutex_);
  std::vector<signalling::v1::WatchEventsResponse> stream_ ABSL_GUARDED_BY(mutex_);
  std::vector<std::string> requests_ ABSL_GUARDED_BY(mutex_);
  // Goes before what it uses.
  RpcTestServer server_{*this};
};

}  // namespace sluice

#endif  // TOOLS_CTL_TESTING_FAKE_QUIC_SIGNALLING_H_
