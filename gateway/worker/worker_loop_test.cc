#include "gateway/worker/worker_loop.h"

#include <algorithm>
#include <atomic>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/synchronization/notification.h"
#include "base/time_delta.h"
#include "gateway/io/media_port_pool.h"
#include "gateway/io/receive_batch.h"
#include "gateway/io/testing/free_ports.h"
#include "gateway/io/testing/loopback.h"
#include "gateway/io/testing/udp_peer.h"
#include "gateway/leg/leg_spec.h"
#include "gateway/net/transport_address.h"
#include "gateway/session/session_spec.h"
#include "gateway/worker/mailbox.h"
#include "gateway/worker/packet_slots.h"
#include "gateway/worker/worker_limits.h"
#include "gateway/worker/worker_notice.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "srtp/testing/packet_builder.h"

namespace sluice {
namespace {

using testing::HasSubstr;

WorkerLimits SmallLimits() {
  WorkerLimits limits;
  limits.sessions = 256;
  limits.legs_per_session = 2;
  limits.streams_per_leg = 4;
  limits.receive_batch = kSocketTurn;
  limits.outbox_packets = 2 * kSocketTurn;
  limits.mailbox_commands = 64;
  limits.event_queue = 64;
  limits.packet_slots = PacketSlots(limits);
  return limits;
}

std::vector<uint8_t> Packet(uint32_t ssrc, uint16_t sequence) {
  return RtpPacketBuilder().WithSsrc(ssrc).WithSequence(sequence).WithPayloadSize(20).Build();
}

// The SSRCs of these tests are below 256.
uint32_t SsrcOf(const PeerDatagram& datagram) {
  const uint8_t last_byte = datagram.bytes.at(11);
  return last_byte;
}

// A loop on its thread, and calls into it.
class WorkerLoopTest : public testing::Test {
 protected:
  WorkerLoopTest() {
    const PortRange range = FindFreePorts(16);
    MediaPortPoolOptions options;
    options.first_port = range.first;
    options.last_port = range.last;
    options.ipv4 = Loopback(IpFamily::kIpv4);
    ports_ = MediaPortPool::Create(options).value();
  }
  ~WorkerLoopTest() override { Stop(); }

  void Start(WorkerLimits limits) {
    limits.packet_slots = PacketSlots(limits);
    loop_ = WorkerLoop::Create(limits, EngineKind::kBoringSsl, [this] {
              wakes_.fetch_add(1);
              wakes_.notify_all();
            }).value();
    thread_ = std::thread([this] { loop_->Run(); });
  }
  void Stop() {
    if (!thread_.joinable()) return;
    loop_->RequestStop();
    thread_.join();
  }

  void Do(absl::FunctionRef<void()> work) {
    absl::Notification done;
    ASSERT_EQ(loop_->mailbox().Post([&] {
      work();
      done.Notify();
    }),
              Mailbox::PostResult::kPosted);
    done.WaitForNotification();
  }

  // Runs `work` on this thread while the loop stands still between two turns.
  void WhileHalted(absl::FunctionRef<void()> work) {
    absl::Notification halted;
    absl::Notification go_on;
    ASSERT_EQ(loop_->mailbox().Post([&] {
      halted.Notify();
      go_on.WaitForNotification();
    }),
              Mailbox::PostResult::kPosted);
    halted.WaitForNotification();
    work();
    go_on.Notify();
    // The command may still refer to what lives here.
    Do([] {});
  }

  // A session that carries what `from` sends to the address returned on to `to`.
  TransportAddress Bridge(const std::string& id, const UdpPeer& from, const UdpPeer& to) {
    TransportAddress address;
    Do([&] {
      SessionSpec session;
      session.id = id;
      ASSERT_TRUE(loop_->sessions().CreateSession(loop_->now(), std::move(session)).ok());
      address = AddLeg(id, "from", from.address());
      AddLeg(id, "to", to.address());
    });
    return address;
  }
  TransportAddress AddLeg(const std::string& session, const std::string& id,
                          const TransportAddress& remote) {
    LegSpec spec;
    spec.id = id;
    spec.rtcp_mux = true;
    spec.remote =
        RemoteTransport{.rtp = remote, .rtcp = remote, .source_rtp = {}, .source_rtcp = {}};
    const LocalTransport local =
        loop_->sockets().Add(ports_->Bind(IpFamily::kIpv4, /*rtcp_mux=*/true).value()).value();
    const absl::StatusOr<LegHandle> leg =
        loop_->sessions().AddLeg(loop_->now(), session, std::move(spec), local);
    EXPECT_TRUE(leg.ok()) << leg.status();
    loop_->sockets().Assign(local, *leg);
    return local.rtp;
  }

  std::unique_ptr<MediaPortPool> ports_;
  std::atomic<int> wakes_{0};
  std::unique_ptr<WorkerLoop> loop_;
  std::thread thread_;
};

TEST_F(WorkerLoopTest, NoSocketGetsASecondTurnBeforeAllHadTheirFirst) {
  constexpr uint16_t kFlood = 200;
  // One socket's turn fills a batch: without a fair order, the floods would fill all of them.
  Start(SmallLimits());
  UdpPeer first_flooder(IpFamily::kIpv4);
  UdpPeer second_flooder(IpFamily::kIpv4);
  UdpPeer modest(IpFamily::kIpv4);
  UdpPeer sink(IpFamily::kIpv4);
  const TransportAddress first = Bridge("first", first_flooder, sink);
  const TransportAddress second = Bridge("second", second_flooder, sink);
  const TransportAddress third = Bridge("third", modest, sink);
  WhileHalted([&] {
    for (uint16_t i = 0; i < kFlood; ++i) first_flooder.Send(first, Packet(1, i));
    for (uint16_t i = 0; i < kFlood; ++i) second_flooder.Send(second, Packet(2, i));
    modest.Send(third, Packet(3, 0));
  });
  std::vector<uint32_t> order;
  while (order.size() < 2 * kFlood + 1u) {
    const std::optional<PeerDatagram> datagram = sink.Receive();
    ASSERT_TRUE(datagram.has_value()) << "only " << order.size() << " came";
    order.push_back(SsrcOf(*datagram));
  }
  const auto place = std::find(order.begin(), order.end(), 3u) - order.begin();
  EXPECT_LE(static_cast<size_t>(place), 2 * kSocketTurn);
}

TEST_F(WorkerLoopTest, ReportsOfSocketsThatWentMeanwhileAreIgnored) {
  WorkerLimits limits = SmallLimits();
  // A turn takes one datagram, so the second socket's report is left for the next turn; between
  // them its session is deleted.
  limits.receive_batch = 1;
  Start(limits);
  UdpPeer stays(IpFamily::kIpv4);
  UdpPeer goes(IpFamily::kIpv4);
  UdpPeer sink(IpFamily::kIpv4);
  const TransportAddress kept = Bridge("kept", stays, sink);
  const TransportAddress deleted = Bridge("deleted", goes, sink);
  WhileHalted([&] {
    stays.Send(kept, Packet(1, 0));
    goes.Send(deleted, Packet(2, 0));
    ASSERT_EQ(loop_->mailbox().Post([&] {
      const auto ended = loop_->sessions().DeleteSession(loop_->now(), "deleted");
      ASSERT_TRUE(ended.ok());
      EXPECT_EQ(loop_->sockets().Remove(ended->sockets).size(), 2u);
    }),
              Mailbox::PostResult::kPosted);
  });
  EXPECT_EQ(SsrcOf(sink.Receive().value()), 1u);
  stays.Send(kept, Packet(1, 1));
  EXPECT_EQ(SsrcOf(sink.Receive().value()), 1u);
  EXPECT_EQ(sink.ReceiveNow(), std::nullopt);
  Do([&] { EXPECT_EQ(loop_->sockets().size(), 2u); });
  EXPECT_EQ(ports_->used(), 2u);
}

TEST_F(WorkerLoopTest, EverySessionThatTimesOutIsReportedOnceHoweverSlowTheTaker) {
  constexpr int kSessions = 200;
  WorkerLimits limits = SmallLimits();
  limits.event_queue = 1;
  Start(limits);
  UdpPeer peer(IpFamily::kIpv4);
  for (int i = 0; i < kSessions; ++i) {
    Do([&] {
      SessionSpec spec;
      spec.id = absl::StrCat("call-", i);
      spec.timeouts.offer = TimeDelta::Millis(1);
      ASSERT_TRUE(loop_->sessions().CreateSession(loop_->now(), std::move(spec)).ok());
      if (i == 0) AddLeg("call-0", "leg", peer.address());
    });
  }
  std::set<std::string> ended;
  int wakes_seen = 0;
  while (ended.size() < kSessions) {
    wakes_.wait(wakes_seen);
    wakes_seen = wakes_.load();
    for (const WorkerNotice& notice : loop_->TakeNotices()) {
      ASSERT_NE(notice.ended, nullptr);
      EXPECT_EQ(notice.ended->state, SessionState::kEnded);
      EXPECT_EQ(notice.ended->end_reason, EndReason::kOfferTimeout);
      EXPECT_TRUE(ended.insert(notice.ended->id).second) << notice.ended->id << " ended twice";
    }
  }
  EXPECT_EQ(loop_->session_count(), 0u);
  EXPECT_EQ(ports_->used(), 0u);
}

TEST_F(WorkerLoopTest, TurnsGoOnWithoutWork) {
  Start(SmallLimits());
  const uint64_t before = loop_->turns();
  while (loop_->turns() < before + 2) std::this_thread::yield();
}

TEST_F(WorkerLoopTest, UsageCountsWhatIsHeldAndComesBackToNothing) {
  Start(SmallLimits());
  UdpPeer source(IpFamily::kIpv4);
  UdpPeer sink(IpFamily::kIpv4);
  const TransportAddress address = Bridge("call", source, sink);
  for (uint16_t i = 0; i < 100; ++i) {
    source.Send(address, Packet(1, i));
    ASSERT_TRUE(sink.Receive().has_value());
  }
  Do([&] {
    const WorkerUsage usage = loop_->Usage();
    EXPECT_EQ(usage.sessions, 1u);
    EXPECT_EQ(usage.legs, 2u);
    EXPECT_EQ(usage.sockets, 2u);
    EXPECT_EQ(usage.packet_slots, PacketSlots(SmallLimits()));
    EXPECT_EQ(usage.packet_slots_free, usage.packet_slots);
    EXPECT_EQ(usage.packet_slots_exhausted, 0u);
  });
}

TEST_F(WorkerLoopTest, StopClosesSocketsAndMailbox) {
  Start(SmallLimits());
  UdpPeer peer(IpFamily::kIpv4);
  Bridge("call", peer, peer);
  EXPECT_EQ(ports_->used(), 2u);
  Stop();
  EXPECT_EQ(ports_->used(), 0u);
  EXPECT_EQ(loop_->mailbox().Post([] {}), Mailbox::PostResult::kClosed);
}

TEST(WorkerLoopLimitsTest, TooFewPacketSlotsAreRefusedWithASentence) {
  WorkerLimits limits = SmallLimits();
  --limits.packet_slots;
  const absl::Status status = WorkerLoop::Create(limits, EngineKind::kBoringSsl, nullptr).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(status.message(), HasSubstr("packet_slots is"));
  EXPECT_THAT(status.message(), HasSubstr(absl::StrCat(PacketSlots(limits))));
}

TEST(WorkerLoopLimitsTest, ZeroesAreRefused) {
  for (size_t WorkerLimits::*limit :
       {&WorkerLimits::sessions, &WorkerLimits::legs_per_session, &WorkerLimits::streams_per_leg,
        &WorkerLimits::receive_batch, &WorkerLimits::outbox_packets,
        &WorkerLimits::mailbox_commands, &WorkerLimits::event_queue}) {
    WorkerLimits limits = SmallLimits();
    limits.*limit = 0;
    EXPECT_EQ(WorkerLoop::Create(limits, EngineKind::kBoringSsl, nullptr).status().code(),
              absl::StatusCode::kInvalidArgument);
  }
}

}  // namespace
}  // namespace sluice
