#ifndef GATEWAY_CONTROL_TESTING_CONTROL_HARNESS_H_
#define GATEWAY_CONTROL_TESTING_CONTROL_HARNESS_H_

#include <google/protobuf/text_format.h>
#include <grpcpp/grpcpp.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "gateway/config/config.h"
#include "gateway/config/limits.h"
#include "gateway/control/control_room.h"
#include "gateway/control/event_pump.h"
#include "gateway/control/gateway_service.h"
#include "gateway/io/media_port_pool.h"
#include "gateway/io/system_random.h"
#include "gateway/tokens/token_authority.h"
#include "gateway/worker/worker_pool.h"
#include "gtest/gtest.h"
#include "srtp/crypto/crypto_engine.h"

namespace sluice {

struct HarnessOptions {
  Limits limits = {.sessions = 8,
                   .legs_per_session = 3,
                   .streams_per_leg = 4,
                   .receive_batch = 16,
                   .outbox_packets = 32,
                   .mailbox_commands = 64,
                   .event_queue = 64,
                   .extra_srtp_kib = 1024,
                   .interceptor_kib = 8192,
                   .held_packets = 2048,
                   .event_log = 64,
                   .watchers = 2,
                   .tombstones = 8,
                   .revoked_tokens = 4,
                   .grpc_threads = 8,
                   .tombstone_lifetime = absl::Minutes(10)};
  TimeoutDefaults session_defaults;
  size_t workers = 2;
  // Of each family.
  size_t port_pairs = 16;
  bool ipv6 = true;
  // One that the machine can use.
  EngineKind engine = EngineKind::kBoringSsl;
};

// A control room with real workers and real ports of loopback, called without gRPC in between.
class ControlHarness {
 public:
  explicit ControlHarness(const HarnessOptions& options = {});
  ~ControlHarness();

  MediaPortPool& ports() { return *ports_; }
  WorkerPool& workers() { return *workers_; }
  ControlRoom& room() { return *room_; }
  TokenAuthority& tokens() { return tokens_; }
  GatewayService& service() { return *service_; }

  // The control room's clock stands still but for this.
  void Advance(absl::Duration duration) { now_us_ += absl::ToInt64Microseconds(duration); }
  absl::Time now() const { return absl::FromUnixMicros(now_us_); }

  // One call, with its request as protobuf text:
  //   harness.Call(&GatewayService::GetSession, "session_id: 'call-1'", response)
  template <typename Request, typename Response>
  grpc::Status Call(grpc::Status (GatewayService::*method)(grpc::ServerContext*, const Request*,
                                                           Response*),
                    const std::string& request_text, Response& response) {
    Request request;
    EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(request_text, &request))
        << request_text;
    response.Clear();
    return (service_.get()->*method)(nullptr, &request, &response);
  }
  // The same, of which only the status matters.
  template <typename Request, typename Response>
  grpc::Status Call(grpc::Status (GatewayService::*method)(grpc::ServerContext*, const Request*,
                                                           Response*),
                    const std::string& request_text) {
    Response response;
    return Call(method, request_text, response);
  }

  // Every event so far, as "call-1 session_created" or "call-1/alice leg_added".
  std::vector<std::string> Events();
  // Waits until there are as many.
  std::vector<std::string> WaitForEvents(size_t count);

  // What calls may leave behind, in one line to be compared: sockets, descriptors, ports, legs,
  // sessions, packet slots.
  std::string Footprint();

 private:
  std::atomic<int64_t> now_us_;
  SystemRandom random_;
  EventPump pump_;
  std::unique_ptr<MediaPortPool> ports_;
  std::unique_ptr<WorkerPool> workers_;
  std::unique_ptr<ControlRoom> room_;
  TokenAuthority tokens_;
  std::unique_ptr<GatewayService> service_;
};

}  // namespace sluice

#endif  // GATEWAY_CONTROL_TESTING_CONTROL_HARNESS_H_
