#include "gateway/worker/worker.h"

#include <signal.h>

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/synchronization/notification.h"
#include "base/time_delta.h"
#include "gateway/errors/error_detail.h"
#include "gateway/io/media_port_pool.h"
#include "gateway/io/testing/free_ports.h"
#include "gateway/io/testing/loopback.h"
#include "gateway/io/testing/open_descriptors.h"
#include "gateway/io/testing/udp_peer.h"
#include "gateway/leg/leg_snapshot.h"
#include "gateway/leg/leg_spec.h"
#include "gateway/leg/packet_verdict.h"
#include "gateway/net/transport_address.h"
#include "gateway/session/session_event.h"
#include "gateway/session/session_spec.h"
#include "gateway/worker/packet_slots.h"
#include "gateway/worker/worker_limits.h"
#include "gateway/worker/worker_notice.h"
#include "gateway/worker/worker_usage.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "srtp/testing/packet_builder.h"

namespace sluice {
namespace {

using testing::ElementsAre;
using testing::ElementsAreArray;

WorkerLimits TestLimits() {
  WorkerLimits limits;
  limits.sessions = 128;
  limits.legs_per_session = 3;
  limits.streams_per_leg = 4;
  limits.receive_batch = 64;
  limits.outbox_packets = 128;
  limits.mailbox_commands = 64;
  limits.event_queue = 64;
  limits.packet_slots = PacketSlots(limits);
  return limits;
}

SessionSpec Session(std::string id) {
  SessionSpec spec;
  spec.id = std::move(id);
  return spec;
}

// One end of a call: where it sends from and receives at.
struct Phone {
  Phone(IpFamily family, bool rtcp_mux) : mux(rtcp_mux), rtp(family), separate_rtcp(family) {}

  UdpPeer& rtcp() { return mux ? rtp : separate_rtcp; }
  LegSpec Leg(std::string id) {
    LegSpec spec;
    spec.id = std::move(id);
    spec.rtcp_mux = mux;
    spec.remote = RemoteTransport{
        .rtp = rtp.address(), .rtcp = rtcp().address(), .source_rtp = {}, .source_rtcp = {}};
    return spec;
  }

  bool mux;
  UdpPeer rtp;
  UdpPeer separate_rtcp;
};

class WorkerTest : public testing::Test {
 protected:
  explicit WorkerTest(size_t port_pairs = 64) {
    const PortRange range = FindFreePorts(port_pairs);
    MediaPortPoolOptions options;
    options.first_port = range.first;
    options.last_port = range.last;
    options.ipv4 = Loopback(IpFamily::kIpv4);
    options.ipv6 = Loopback(IpFamily::kIpv6);
    ports_ = MediaPortPool::Create(options).value();
  }

  void Start(const WorkerLimits& limits = TestLimits()) {
    worker_ = Worker::Create(0, limits, EngineKind::kBoringSsl, *ports_, [this] {
                wakes_.fetch_add(1);
                wakes_.notify_all();
              }).value();
  }

  // Waits until the worker has told something.
  std::vector<WorkerNotice> WaitForNotices() {
    while (true) {
      const int seen = wakes_.load();
      std::vector<WorkerNotice> notices = worker_->TakeNotices();
      if (!notices.empty()) return notices;
      wakes_.wait(seen);
    }
  }

  std::unique_ptr<MediaPortPool> ports_;
  std::atomic<int> wakes_{0};
  std::unique_ptr<Worker> worker_;
};

// Family and rtcp-mux of one leg, then of the other.
class BridgeTest : public WorkerTest,
                   public testing::WithParamInterface<std::tuple<IpFamily, bool, IpFamily, bool>> {
};

INSTANTIATE_TEST_SUITE_P(AllLegs, BridgeTest,
                         testing::Combine(testing::Values(IpFamily::kIpv4, IpFamily::kIpv6),
                                          testing::Bool(),
                                          testing::Values(IpFamily::kIpv4, IpFamily::kIpv6),
                                          testing::Bool()));

TEST_P(BridgeTest, CarriesRtpAndRtcpBothWays) {
  const auto [a_family, a_mux, b_family, b_mux] = GetParam();
  Start();
  Phone a(a_family, a_mux);
  Phone b(b_family, b_mux);
  ASSERT_TRUE(worker_->CreateSession(Session("call")).ok());
  const LegSnapshot a_leg = worker_->AddLeg("call", a.Leg("a"), a_family).value();
  const LegSnapshot b_leg = worker_->AddLeg("call", b.Leg("b"), b_family).value();
  EXPECT_EQ(a_leg.local.rtp == a_leg.local.rtcp, a_mux);

  for (uint16_t i = 0; i < 10; ++i) {
    const auto from_a = RtpPacketBuilder().WithSsrc(1).WithSequence(i).WithPayloadSize(160).Build();
    a.rtp.Send(a_leg.local.rtp, from_a);
    const std::optional<PeerDatagram> at_b = b.rtp.Receive();
    ASSERT_TRUE(at_b.has_value());
    EXPECT_THAT(at_b->bytes, ElementsAreArray(from_a));
    EXPECT_EQ(at_b->source, b_leg.local.rtp);

    const auto from_b = RtpPacketBuilder().WithSsrc(2).WithSequence(i).WithPayloadSize(80).Build();
    b.rtp.Send(b_leg.local.rtp, from_b);
    const std::optional<PeerDatagram> at_a = a.rtp.Receive();
    ASSERT_TRUE(at_a.has_value());
    EXPECT_THAT(at_a->bytes, ElementsAreArray(from_b));
    EXPECT_EQ(at_a->source, a_leg.local.rtp);
  }

  const auto report = RtcpPacketBuilder().AddReceiverReport(1).Build();
  a.rtcp().Send(a_leg.local.rtcp, report);
  const std::optional<PeerDatagram> at_b = b.rtcp().Receive();
  ASSERT_TRUE(at_b.has_value());
  EXPECT_THAT(at_b->bytes, ElementsAreArray(report));
  EXPECT_EQ(at_b->source, b_leg.local.rtcp);

  const SessionSnapshot ended = worker_->DeleteSession("call").value();
  EXPECT_EQ(ended.end_reason, EndReason::kDeleted);
  ASSERT_EQ(ended.legs.size(), 2u);
  EXPECT_EQ(ended.legs[0].packets_received, 11u);
  EXPECT_EQ(ended.legs[0].packets_sent, 10u);
  EXPECT_EQ(ended.legs[1].packets_received, 10u);
  EXPECT_EQ(ended.legs[1].packets_sent, 11u);
  EXPECT_EQ(ports_->used(), 0u);
}

TEST_F(WorkerTest, ADatagramLongerThanASlotIsDroppedAndCounted) {
  Start();
  Phone a(IpFamily::kIpv4, true);
  Phone b(IpFamily::kIpv4, true);
  ASSERT_TRUE(worker_->CreateSession(Session("call")).ok());
  const LegSnapshot leg = worker_->AddLeg("call", a.Leg("a"), IpFamily::kIpv4).value();
  ASSERT_TRUE(worker_->AddLeg("call", b.Leg("b"), IpFamily::kIpv4).ok());
  a.rtp.Send(leg.local.rtp, RtpPacketBuilder().WithSequence(1).WithPayloadSize(5000).Build());
  const auto next = RtpPacketBuilder().WithSequence(2).WithPayloadSize(1200).Build();
  a.rtp.Send(leg.local.rtp, next);
  EXPECT_THAT(b.rtp.Receive().value().bytes, ElementsAreArray(next));
  const SessionSnapshot session = worker_->GetSession("call").value();
  EXPECT_EQ(session.legs[0].verdicts[static_cast<size_t>(PacketVerdict::kTruncated)], 1u);
}

TEST_F(WorkerTest, ADestinationThatTheKernelRefusesIsCountedAndOthersAreServed) {
  Start();
  Phone a(IpFamily::kIpv4, true);
  Phone b(IpFamily::kIpv4, true);
  Phone lost(IpFamily::kIpv4, true);
  ASSERT_TRUE(worker_->CreateSession(Session("room")).ok());
  const LegSnapshot leg = worker_->AddLeg("room", a.Leg("a"), IpFamily::kIpv4).value();
  ASSERT_TRUE(worker_->AddLeg("room", b.Leg("b"), IpFamily::kIpv4).ok());
  LegSpec unreachable = lost.Leg("lost");
  // An IPv4 socket reaches no IPv6 address.
  unreachable.remote->rtp.ip = unreachable.remote->rtcp.ip = Loopback(IpFamily::kIpv6);
  absl::StatusOr<LegSnapshot> added =
      worker_->AddLeg("room", std::move(unreachable), IpFamily::kIpv4);
  if (!added.ok()) {
    // The core need not take such an address in the first place.
    EXPECT_EQ(added.status().code(), absl::StatusCode::kInvalidArgument);
    return;
  }
  ASSERT_TRUE(worker_->SetForwarding("room", {{"a", {"lost", "b"}}}).ok());
  a.rtp.Send(leg.local.rtp, RtpPacketBuilder().WithPayloadSize(10).Build());
  EXPECT_TRUE(b.rtp.Receive().has_value());
  const SessionSnapshot session = worker_->GetSession("room").value();
  EXPECT_EQ(session.legs[2].verdicts[static_cast<size_t>(PacketVerdict::kSendFailed)], 1u);
}

TEST_F(WorkerTest, CallsReachTheSessionsAndTheirErrorsComeBack) {
  Start();
  EXPECT_EQ(worker_->GetSession("none").status().code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(worker_->DeleteSession("none").status().code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(worker_->UpdateSession("none", {}).status().code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(worker_->RemoveLeg("none", "leg").status().code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(worker_->UpdateLeg("none", "leg", {}).status().code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(worker_->SetForwarding("none", {}).status().code(), absl::StatusCode::kNotFound);

  ASSERT_TRUE(worker_->CreateSession(Session("call")).ok());
  EXPECT_EQ(worker_->CreateSession(Session("call")).status().code(),
            absl::StatusCode::kAlreadyExists);
  SessionUpdate update;
  update.idle = TimeDelta::Seconds(5);
  EXPECT_EQ(worker_->UpdateSession("call", update).value().timeouts.idle, TimeDelta::Seconds(5));

  Phone phone(IpFamily::kIpv4, false);
  ASSERT_TRUE(worker_->AddLeg("call", phone.Leg("leg"), IpFamily::kIpv4).ok());
  LegUpdate hold;
  hold.hold = true;
  EXPECT_TRUE(worker_->UpdateLeg("call", "leg", std::move(hold)).value().hold);
  const LegSnapshot removed = worker_->RemoveLeg("call", "leg").value();
  EXPECT_EQ(removed.id, "leg");
  EXPECT_EQ(ports_->used(), 0u);
  EXPECT_TRUE(worker_->GetSession("call").value().legs.empty());
}

TEST_F(WorkerTest, ManySessionsAreFetchedInPortionsAndUnknownOnesLeftOut) {
  Start();
  std::vector<std::string> ids;
  for (int i = 0; i < 50; ++i) {
    ids.push_back(absl::StrCat("call-", i));
    ASSERT_TRUE(worker_->CreateSession(Session(ids.back())).ok());
    ids.push_back(absl::StrCat("unknown-", i));
  }
  const std::vector<SessionSnapshot> sessions = worker_->GetSessions(ids).value();
  ASSERT_EQ(sessions.size(), 50u);
  for (int i = 0; i < 50; ++i) {
    EXPECT_EQ(sessions[static_cast<size_t>(i)].id, absl::StrCat("call-", i));
  }
  EXPECT_TRUE(worker_->GetSessions({}).value().empty());
}

TEST_F(WorkerTest, ALegThatCannotBeAddedLeavesNothingBehind) {
  Start();
  Phone phone(IpFamily::kIpv4, false);
  ASSERT_TRUE(worker_->CreateSession(Session("call")).ok());
  ASSERT_TRUE(worker_->AddLeg("call", phone.Leg("leg"), IpFamily::kIpv4).ok());
  const size_t descriptors = CountOpenDescriptors();
  const size_t ports = ports_->used();
  const WorkerUsage before = worker_->GetUsage().value();
  EXPECT_EQ(worker_->AddLeg("none", phone.Leg("leg"), IpFamily::kIpv4).status().code(),
            absl::StatusCode::kNotFound);
  EXPECT_EQ(worker_->AddLeg("call", phone.Leg("leg"), IpFamily::kIpv4).status().code(),
            absl::StatusCode::kAlreadyExists);
  // An SRTP leg without a key contradicts itself.
  LegSpec keyless = phone.Leg("keyless");
  keyless.kind = LegKind::kSrtp;
  EXPECT_EQ(worker_->AddLeg("call", std::move(keyless), IpFamily::kIpv4).status().code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(CountOpenDescriptors(), descriptors);
  EXPECT_EQ(ports_->used(), ports);
  EXPECT_EQ(worker_->GetUsage().value().sockets, before.sockets);
  EXPECT_EQ(worker_->GetUsage().value().legs, before.legs);
}

class FewPortsTest : public WorkerTest {
 protected:
  FewPortsTest() : WorkerTest(/*port_pairs=*/2) {}
};

TEST_F(FewPortsTest, WithoutFreePortsALegIsRefusedAndTheOthersGoOn) {
  Start();
  Phone a(IpFamily::kIpv4, true);
  Phone b(IpFamily::kIpv4, true);
  ASSERT_TRUE(worker_->CreateSession(Session("call")).ok());
  const LegSnapshot leg = worker_->AddLeg("call", a.Leg("a"), IpFamily::kIpv4).value();
  ASSERT_TRUE(worker_->AddLeg("call", b.Leg("b"), IpFamily::kIpv4).ok());
  const absl::Status full = worker_->AddLeg("call", b.Leg("c"), IpFamily::kIpv4).status();
  EXPECT_EQ(full.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(GetErrorDetail(full)->subject, "media_ports");
  a.rtp.Send(leg.local.rtp, RtpPacketBuilder().Build());
  EXPECT_TRUE(b.rtp.Receive().has_value());
  ASSERT_TRUE(worker_->RemoveLeg("call", "b").ok());
  EXPECT_TRUE(worker_->AddLeg("call", b.Leg("c"), IpFamily::kIpv4).ok());
}

TEST_F(WorkerTest, TheFirstPacketIsToldAsAnEvent) {
  Start();
  Phone a(IpFamily::kIpv4, true);
  Phone b(IpFamily::kIpv4, true);
  ASSERT_TRUE(worker_->CreateSession(Session("call")).ok());
  const LegSnapshot leg = worker_->AddLeg("call", a.Leg("a"), IpFamily::kIpv4).value();
  ASSERT_TRUE(worker_->AddLeg("call", b.Leg("b"), IpFamily::kIpv4).ok());
  a.rtp.Send(leg.local.rtp, RtpPacketBuilder().WithSsrc(77).Build());
  std::vector<SessionEventKind> kinds;
  while (kinds.size() < 2) {
    for (const WorkerNotice& notice : WaitForNotices()) {
      ASSERT_TRUE(notice.event.has_value());
      EXPECT_EQ(notice.event->session_id.view(), "call");
      EXPECT_EQ(notice.event->leg_id.view(), "a");
      kinds.push_back(notice.event->kind);
    }
  }
  EXPECT_THAT(kinds, testing::UnorderedElementsAre(SessionEventKind::kMediaStarted,
                                                   SessionEventKind::kStreamAdded));
}

TEST_F(WorkerTest, ASessionThatTimesOutIsToldAndItsSocketsAreClosed) {
  Start();
  const size_t descriptors = CountOpenDescriptors();
  Phone phone(IpFamily::kIpv4, false);
  SessionSpec spec = Session("call");
  spec.timeouts.offer = TimeDelta::Millis(50);
  ASSERT_TRUE(worker_->CreateSession(std::move(spec)).ok());
  // May come too late on a slow machine; then there is simply nothing to close.
  (void)worker_->AddLeg("call", phone.Leg("leg"), IpFamily::kIpv4);
  const std::vector<WorkerNotice> notices = WaitForNotices();
  ASSERT_EQ(notices.size(), 1u);
  ASSERT_NE(notices[0].ended, nullptr);
  EXPECT_EQ(notices[0].ended->id, "call");
  EXPECT_EQ(notices[0].ended->end_reason, EndReason::kOfferTimeout);
  EXPECT_EQ(ports_->used(), 0u);
  // The two of the phone are ours.
  EXPECT_EQ(CountOpenDescriptors(), descriptors + 2);
  EXPECT_EQ(worker_->GetSession("call").status().code(), absl::StatusCode::kNotFound);
}

TEST_F(WorkerTest, AFullMailboxRefusesAtOnce) {
  WorkerLimits limits = TestLimits();
  limits.mailbox_commands = 2;
  // Halts the worker's thread from within: the first notice.
  absl::Notification halted;
  absl::Notification go_on;
  worker_ = Worker::Create(0, limits, EngineKind::kBoringSsl, *ports_, [&] {
              halted.Notify();
              go_on.WaitForNotification();
            }).value();
  SessionSpec spec = Session("short");
  spec.timeouts.offer = TimeDelta::Zero();
  ASSERT_TRUE(worker_->CreateSession(std::move(spec)).ok());
  halted.WaitForNotification();

  absl::Notification refused;
  std::atomic<int> ok{0};
  std::vector<std::thread> callers;
  for (int i = 0; i < 3; ++i) {
    callers.emplace_back([&] {
      const absl::Status status = worker_->GetUsage().status();
      if (status.ok()) {
        ++ok;
        return;
      }
      EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
      EXPECT_EQ(GetErrorDetail(status)->subject, "mailbox_commands");
      refused.Notify();
    });
  }
  // Two wait in the mailbox, the third is told at once although the worker stands still.
  refused.WaitForNotification();
  go_on.Notify();
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(ok, 2);
}

TEST_F(WorkerTest, AThousandSessionsLeaveNothingBehind) {
  constexpr int kAtOnce = 20;
  Start();
  Phone a(IpFamily::kIpv4, false);
  Phone b(IpFamily::kIpv6, true);
  const size_t descriptors = CountOpenDescriptors();
  for (int i = 0; i < 1000 + kAtOnce; ++i) {
    if (i < 1000) {
      const std::string id = absl::StrCat("call-", i);
      ASSERT_TRUE(worker_->CreateSession(Session(id)).ok());
      const LegSnapshot leg = worker_->AddLeg(id, a.Leg("a"), IpFamily::kIpv4).value();
      ASSERT_TRUE(worker_->AddLeg(id, b.Leg("b"), IpFamily::kIpv6).ok());
      a.rtp.Send(leg.local.rtp, RtpPacketBuilder().WithPayloadSize(160).Build());
      ASSERT_TRUE(b.rtp.Receive().has_value());
    }
    if (i >= kAtOnce) {
      ASSERT_TRUE(worker_->DeleteSession(absl::StrCat("call-", i - kAtOnce)).ok());
    }
    (void)worker_->TakeNotices();
  }
  EXPECT_EQ(CountOpenDescriptors(), descriptors);
  EXPECT_EQ(ports_->used(), 0u);
  const WorkerUsage usage = worker_->GetUsage().value();
  EXPECT_EQ(usage.sessions, 0u);
  EXPECT_EQ(usage.legs, 0u);
  EXPECT_EQ(usage.sockets, 0u);
  EXPECT_EQ(usage.packet_slots_free, usage.packet_slots);
  EXPECT_EQ(usage.packet_slots_exhausted, 0u);
  EXPECT_EQ(usage.events_dropped, 0u);
}

TEST_F(WorkerTest, StopsInTheMiddleOfCallsAndMedia) {
  const size_t descriptors = CountOpenDescriptors();
  {
    Start();
    Phone a(IpFamily::kIpv4, true);
    Phone b(IpFamily::kIpv4, true);
    ASSERT_TRUE(worker_->CreateSession(Session("media")).ok());
    const LegSnapshot leg = worker_->AddLeg("media", a.Leg("a"), IpFamily::kIpv4).value();
    ASSERT_TRUE(worker_->AddLeg("media", b.Leg("b"), IpFamily::kIpv4).ok());

    std::atomic<bool> stopped{false};
    std::atomic<int> calls{0};
    std::thread sender([&] {
      for (uint16_t i = 0; !stopped; ++i) {
        a.rtp.Send(leg.local.rtp, RtpPacketBuilder().WithSequence(i).Build());
        while (b.rtp.ReceiveNow().has_value()) {
        }
      }
    });
    std::vector<std::thread> callers;
    for (int t = 0; t < 3; ++t) {
      callers.emplace_back([&, t] {
        const std::string id = absl::StrCat("call-", t);
        Phone phone(IpFamily::kIpv4, false);
        absl::Status status;
        while (!absl::IsUnavailable(status)) {
          status = worker_->CreateSession(Session(id)).status();
          status.Update(worker_->AddLeg(id, phone.Leg("leg"), IpFamily::kIpv4).status());
          status.Update(worker_->DeleteSession(id).status());
          EXPECT_TRUE(status.ok() || absl::IsUnavailable(status)) << status;
          ++calls;
          calls.notify_all();
        }
      });
    }
    for (int seen = 0; seen < 100; seen = calls) calls.wait(seen);
    worker_->Stop();
    for (std::thread& caller : callers) caller.join();
    stopped = true;
    sender.join();
    EXPECT_EQ(ports_->used(), 0u);
    worker_->Stop();
    EXPECT_EQ(worker_->GetUsage().status().code(), absl::StatusCode::kUnavailable);
    worker_.reset();
  }
  EXPECT_EQ(CountOpenDescriptors(), descriptors);
}

TEST_F(WorkerTest, TheThreadHasANameAndLeavesSignalsToOthers) {
  Start();
  // While a thread is being made, all signals are blocked; an answer shows that it is made.
  ASSERT_TRUE(worker_->GetUsage().ok());
  std::optional<uint64_t> blocked;
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
    std::ifstream status(task.path() / "status");
    bool ours = false;
    for (std::string line; std::getline(status, line);) {
      if (line == "Name:\tsluice-w0") ours = true;
      if (ours && absl::StartsWith(line, "SigBlk:")) {
        blocked = std::stoull(line.substr(line.find('\t') + 1), nullptr, 16);
      }
    }
  }
  ASSERT_TRUE(blocked.has_value()) << "no thread is called sluice-w0";
  const auto is_blocked = [&](int signal) { return (*blocked >> (signal - 1) & 1) != 0; };
  EXPECT_TRUE(is_blocked(SIGTERM));
  EXPECT_TRUE(is_blocked(SIGINT));
  EXPECT_TRUE(is_blocked(SIGCHLD));
  EXPECT_FALSE(is_blocked(SIGSEGV));
  EXPECT_FALSE(is_blocked(SIGABRT));
}

TEST_F(WorkerTest, IsDestroyedWithSessionsAlive) {
  Start();
  Phone phone(IpFamily::kIpv4, false);
  ASSERT_TRUE(worker_->CreateSession(Session("call")).ok());
  ASSERT_TRUE(worker_->AddLeg("call", phone.Leg("leg"), IpFamily::kIpv4).ok());
  EXPECT_EQ(worker_->session_count(), 1u);
  worker_.reset();
  EXPECT_EQ(ports_->used(), 0u);
}

}  // namespace
}  // namespace sluice
