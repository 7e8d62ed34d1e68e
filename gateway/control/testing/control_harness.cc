#include "gateway/control/testing/control_harness.h"

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "gateway/control/event_log.h"
#include "gateway/control/node_report.h"
#include "gateway/io/testing/free_ports.h"
#include "gateway/io/testing/loopback.h"
#include "gateway/io/testing/open_descriptors.h"
#include "gateway/tokens/revoked_tokens.h"
#include "gateway/tokens/token_keys.h"
#include "gateway/worker/packet_slots.h"
#include "gateway/worker/worker_limits.h"
#include "gateway/worker/worker_usage.h"
#include "proto/gateway/v1/events.pb.h"

namespace sluice {
namespace {

constexpr int64_t kStartSeconds = 1'700'000'000;

MediaPortPoolOptions PoolOptions(const HarnessOptions& options) {
  const auto range = FindFreePorts(options.port_pairs);
  MediaPortPoolOptions pool;
  pool.first_port = range.first;
  pool.last_port = range.last;
  pool.ipv4 = Loopback(IpFamily::kIpv4);
  if (options.ipv6) {
    pool.ipv6 = Loopback(IpFamily::kIpv6);
  }
  return pool;
}

WorkerLimits ToWorkerLimits(const HarnessOptions& options) {
  WorkerLimits limits;
  limits.sessions = SessionsPerWorker(options.limits, options.workers);
  limits.legs_per_session = options.limits.legs_per_session;
  limits.streams_per_leg = options.limits.streams_per_leg;
  limits.receive_batch = options.limits.receive_batch;
  limits.outbox_packets = options.limits.outbox_packets;
  limits.mailbox_commands = options.limits.mailbox_commands;
  limits.event_queue = options.limits.event_queue;
  limits.extra_srtp_bytes = ExtraSrtpBytesPerWorker(options.limits, options.workers);
  limits.interceptor_bytes = InterceptorBytesPerWorker(options.limits, options.workers);
  limits.held_packets = HeldPacketsPerWorker(options.limits, options.workers);
  limits.packet_slots = PacketSlots(limits);
  return limits;
}

std::string Describe(const gateway::v1::Event& event) {
  const auto* kind = event.GetReflection()->GetOneofFieldDescriptor(
      event, event.GetDescriptor()->FindOneofByName("event"));
  return absl::StrCat(event.session_id(), event.leg_id().empty() ? "" : "/", event.leg_id(), " ",
                      kind == nullptr ? "nothing" : kind->name());
}

}  // namespace

ControlHarness::ControlHarness(const HarnessOptions& options)
    : now_us_(kStartSeconds * 1'000'000),
      ports_(MediaPortPool::Create(PoolOptions(options)).value()),
      workers_(WorkerPool::Create(options.workers, ToWorkerLimits(options), options.engine, *ports_,
                                  [this] { pump_.Wake(); })
                   .value()),
      room_(std::make_unique<ControlRoom>(
          options.limits, "test-instance", [this] { return now(); }, *workers_)),
      tokens_(GenerateTokenKeys(random_), options.limits.revoked_tokens) {
  NodeSources sources;
  sources.version = "1.2.3";
  sources.start_time = now();
  sources.limits = options.limits;
  sources.session_defaults = options.session_defaults;
  sources.crypto_engine = options.engine;
  sources.media_ports = [this] {
    return LimitState{ports_->capacity(), ports_->used(), ports_->refused()};
  };
  sources.revoked_tokens = [this] {
    const RevokedTokens& revoked = tokens_.revoked();
    return LimitState{revoked.max(), revoked.used(), revoked.refused()};
  };
  service_ = std::make_unique<GatewayService>(*room_, tokens_, random_, sources);
  pump_.Start([this] { room_->PublishNotices(); });
}

ControlHarness::~ControlHarness() {
  room_->log().Close();
  workers_->Stop();
  pump_.Stop();
}

std::vector<std::string> ControlHarness::Events() {
  std::vector<std::string> events;
  const auto read = room_->log().Read(0, 10'000, absl::ZeroDuration());
  EXPECT_TRUE(read.ok()) << read.status();
  if (read.ok()) {
    for (const auto& event : *read) {
      events.push_back(Describe(*event));
    }
  }
  return events;
}

std::vector<std::string> ControlHarness::WaitForEvents(size_t count) {
  // A minute is for ever: a test that waits longer has failed.
  const auto read = room_->log().Read(count - 1, 1, absl::Minutes(1));
  EXPECT_TRUE(read.ok() && !read->empty()) << "event " << count << " did not come";
  return Events();
}

std::string ControlHarness::Footprint() {
  std::string footprint =
      absl::StrCat("descriptors ", CountOpenDescriptors(), ", ports ", ports_->used());
  for (size_t i = 0; i < workers_->size(); ++i) {
    const absl::StatusOr<WorkerUsage> usage = workers_->worker(i).GetUsage();
    EXPECT_TRUE(usage.ok()) << usage.status();
    if (usage.ok()) {
      absl::StrAppend(&footprint, ", worker ", i, ": sessions ", usage->sessions, " legs ",
                      usage->legs, " sockets ", usage->sockets, " slots ",
                      usage->packet_slots - usage->packet_slots_free);
    }
  }
  return footprint;
}

}  // namespace sluice
