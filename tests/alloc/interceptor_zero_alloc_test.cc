// A call over three gateways. Between them are legs under SRTP with all that video has by default,
// over links that lose one packet in twenty; each is to the next the peer that NACKs, repeats,
// reports and asks for key frames. At the ends are plain legs, with a camera and a screen each.
//
//   end -- first ==lossy== middle ==lossy== last -- end
//
// Nothing that the tables of the three do with packets or timers allocates.

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "base/testing/seeded_random.h"
#include "base/time_delta.h"
#include "gateway/leg/interceptor_options.h"
#include "gateway/leg/leg_snapshot.h"
#include "gateway/leg/leg_spec.h"
#include "gateway/leg/media_description.h"
#include "gateway/net/transport_address.h"
#include "gateway/session/outbox.h"
#include "gateway/session/testing/session_harness.h"
#include "gtest/gtest.h"
#include "interceptor/rtcp/pli.h"
#include "interceptor/stream_info.h"
#include "srtp/cipher_suite.h"
#include "srtp/crypto/cpu_features.h"
#include "srtp/crypto/crypto_engine.h"
#include "srtp/crypto/engine_choice.h"
#include "srtp/packet_arena.h"
#include "srtp/rtp_types.h"
#include "srtp/testing/packet_builder.h"
#include "tests/alloc/counting_allocator.h"

namespace sluice {
namespace {

constexpr uint8_t kMedia = 96;
constexpr uint8_t kRtx = 97;
constexpr uint8_t kParity = 98;
constexpr uint8_t kRed = 99;
constexpr uint8_t kTransportSequence = 5;
// Each way.
constexpr int kPackets = 100'000;
constexpr int kPacketsPerStep = 10;
// Also the delay of a link: a round trip is two steps.
constexpr TimeDelta kStep = TimeDelta::Millis(10);
// Of TestPeer's 160 ticks per packet, so that media takes as long as it says.
constexpr uint32_t kClockRate = 160'000;
constexpr uint64_t kLostOneIn = 20;
// The screens ask for a key frame once a second.
constexpr int kStepsPerRequest = 100;
// Datagrams that a harness may be given at once.
constexpr size_t kBatch = 32;
// What the last round trips had no time to repair.
constexpr uint64_t kTail = 1000;

PayloadDescription Payload(uint8_t number, const char* name, StreamFeedback feedback = {}) {
  PayloadDescription type;
  type.payload_type = PayloadType(number);
  type.encoding_name = name;
  type.clock_rate = kClockRate;
  type.feedback = feedback;
  return type;
}

// What the legs between the gateways are told, and what is seen of it afterwards.
struct Scenario {
  std::vector<PayloadDescription> payload_types;
  InterceptorConfig interceptors = {};
  // Media packets that must come out at an end.
  uint64_t shown = kPackets - kTail;
};

Scenario Video(const InterceptorConfig& interceptors) {
  Scenario scenario = {.payload_types = {Payload(kMedia, "VP8",
                                                 {.nack = true,
                                                  .picture_loss_indication = true,
                                                  .transport_wide = true}),
                                         Payload(kRtx, "rtx")},
                       .interceptors = interceptors};
  scenario.payload_types[1].associated = PayloadType(kMedia);
  return scenario;
}

TestPeerOptions LinkOptions(uint8_t host, SuiteId suite, const Scenario& scenario) {
  TestPeerOptions options;
  options.host = host;
  options.suite = suite;
  options.rtcp_mux = true;
  options.payload_types = scenario.payload_types;
  options.header_extensions = {{kTransportSequence, kTransportSequenceUri}};
  options.interceptors = scenario.interceptors;
  return options;
}

TestPeerOptions EndOptions(uint8_t host) {
  TestPeerOptions options;
  options.host = host;
  options.rtcp_mux = true;
  options.payload_types = {Payload(kMedia, "VP8", {.picture_loss_indication = true})};
  return options;
}

// Plain RTCP of a screen that wants a key frame of the stream.
Bytes KeyFrameRequest(const TestPeer& end, uint32_t media) {
  Bytes bytes = RtcpPacketBuilder().AddReceiverReport(end.ssrc(), {}).Build();
  std::array<uint8_t, 12> loss;
  const size_t size =
      WritePictureLoss({.sender = Ssrc(end.ssrc()), .media = Ssrc(media)}, absl::MakeSpan(loss));
  bytes.insert(bytes.end(), loss.begin(), loss.begin() + static_cast<ptrdiff_t>(size));
  return bytes;
}

// A gateway with one session of two legs, "west" and "east".
class Node {
 public:
  explicit Node(EngineKind engine) : harness_(Options(engine)) { harness_.CreateSession("call"); }

  LegHandle AddLeg(absl::string_view id, LegSpec spec, const LocalTransport& local) {
    spec.id = std::string(id);
    const auto handle = harness_.table().AddLeg(harness_.now(), "call", std::move(spec), local);
    EXPECT_TRUE(handle.ok()) << handle.status();
    return *handle;
  }

  // What comes from outside.
  void Queue(LegHandle leg, const TransportAddress& source, const Bytes& bytes) {
    harness_.Queue(leg, Component::kRtp, source, bytes);
    if (++queued_ == kBatch) {
      Deliver();
    }
  }
  void Deliver() {
    queued_ = 0;
    const uint64_t before = ThreadAllocations();
    harness_.Deliver();
    allocations_ += ThreadAllocations() - before;
    TakeSent();
  }
  void Advance() {
    const uint64_t before = ThreadAllocations();
    harness_.Advance(kStep);
    allocations_ += ThreadAllocations() - before;
    TakeSent();
  }
  // What was sent for a leg since the last call.
  std::vector<Bytes> Take(LegHandle leg) {
    std::vector<Bytes> taken;
    std::vector<std::pair<LegHandle, Bytes>> left;
    for (auto& [of, bytes] : sent_) {
      if (of == leg) {
        taken.push_back(std::move(bytes));
      } else {
        left.emplace_back(of, std::move(bytes));
      }
    }
    sent_ = std::move(left);
    return taken;
  }

  uint64_t allocations() const { return allocations_; }
  LegSnapshot Leg(absl::string_view id) { return harness_.Leg("call", id); }
  PacketArena& arena() { return harness_.arena(); }

 private:
  static SessionHarness::Options Options(EngineKind engine) {
    SessionHarness::Options options;
    options.engine = engine;
    // Room for what interceptors hold back.
    options.limits.held_packets = 8192;
    options.limits.interceptor_bytes = 32 * 1024 * 1024;
    options.packet_slots = 4096;
    options.outbox_packets = 512;
    return options;
  }

  void TakeSent() {
    for (const OutgoingDatagram& datagram : harness_.outbox().packets()) {
      sent_.emplace_back(datagram.leg,
                         Bytes(datagram.packet.bytes().begin(), datagram.packet.bytes().end()));
    }
    const uint64_t before = ThreadAllocations();
    for (const OutgoingDatagram& datagram : harness_.outbox().packets()) {
      harness_.table().HandleSendResult(datagram.leg, true, datagram.packet.size());
    }
    harness_.outbox().ClearPackets();
    while (!harness_.outbox().events().empty()) {
      harness_.outbox().events().PopFront();
    }
    allocations_ += ThreadAllocations() - before;
  }

  SessionHarness harness_;
  std::vector<std::pair<LegHandle, Bytes>> sent_;
  size_t queued_ = 0;
  uint64_t allocations_ = 0;
};

// Two legs of neighbours that are each other's peer.
struct Link {
  // Keys and addresses of the western node's leg are the peer's, seen from the east, and turned
  // round.
  Link(Node& west_node, Node& east_node, const TestPeerOptions& west_options,
       const TestPeerOptions& east_options)
      : west_end(west_options), east_end(east_options) {
    LegSpec spec = west_end.Spec("east");
    spec.remote = east_end.Remote();
    LegSpec opposite = west_end.Spec("west");
    std::swap(opposite.local_key, opposite.remote_key);
    east = west_node.AddLeg("east", std::move(spec), west_end.Local());
    west = east_node.AddLeg("west", std::move(opposite), east_end.Local());
  }

  // Whose addresses the two legs have.
  TestPeer west_end;
  TestPeer east_end;
  // The leg to the east, of the western node, and its peer.
  LegHandle east;
  LegHandle west;
};

uint64_t Counter(const LegSnapshot& leg, absl::string_view interceptor, absl::string_view name) {
  for (const InterceptorCounter& counter : leg.interceptor_counters) {
    if (counter.interceptor == interceptor && counter.name == name) {
      return counter.value;
    }
  }
  return 0;
}

class Call {
 public:
  Call(SuiteId suite, EngineKind engine, const Scenario& scenario)
      : first(engine),
        middle(engine),
        last(engine),
        west_end(EndOptions(1)),
        east_end(EndOptions(2)),
        west_link(first, middle, LinkOptions(11, suite, scenario),
                  LinkOptions(12, suite, scenario)),
        east_link(middle, last, LinkOptions(13, suite, scenario),
                  LinkOptions(14, suite, scenario)) {
    west = first.AddLeg("west", west_end.Spec("west"), west_end.Local());
    east = last.AddLeg("east", east_end.Spec("east"), east_end.Local());
  }

  void Run() {
    for (int i = 0; i < kPackets / kPacketsPerStep; ++i) {
      Film(first, west, west_end);
      Film(last, east, east_end);
      if (i % kStepsPerRequest == kStepsPerRequest - 1) {
        first.Queue(west, west_end.rtp, KeyFrameRequest(west_end, east_end.ssrc()));
        last.Queue(east, east_end.rtp, KeyFrameRequest(east_end, west_end.ssrc()));
      }
      Carry(first, west_link.east, middle, west_link.west, west_link.west_end.rtp);
      Carry(middle, west_link.west, first, west_link.east, west_link.east_end.rtp);
      Carry(middle, east_link.east, last, east_link.west, east_link.west_end.rtp);
      Carry(last, east_link.west, middle, east_link.east, east_link.east_end.rtp);
      for (Node* node : {&first, &middle, &last}) {
        node->Deliver();
        node->Advance();
      }
      Show(first.Take(west), shown_west);
      Show(last.Take(east), shown_east);
    }
  }

  Node first;
  Node middle;
  Node last;
  TestPeer west_end;
  TestPeer east_end;
  Link west_link;
  Link east_link;
  LegHandle west;
  LegHandle east;
  // Media packets that came out at the ends.
  uint64_t shown_west = 0;
  uint64_t shown_east = 0;
  uint64_t lost = 0;

 private:
  static void Film(Node& node, LegHandle leg, TestPeer& end) {
    for (int i = 0; i < kPacketsPerStep; ++i) {
      node.Queue(leg, end.rtp, end.NextRtp());
    }
  }
  void Carry(Node& from, LegHandle out, Node& to, LegHandle in, const TransportAddress& source) {
    for (const Bytes& datagram : from.Take(out)) {
      if (random_.Below(kLostOneIn) == 0) {
        ++lost;
      } else {
        to.Queue(in, source, datagram);
      }
    }
  }
  static void Show(const std::vector<Bytes>& datagrams, uint64_t& shown) {
    for (const Bytes& datagram : datagrams) {
      shown += (datagram[1] & 0x7F) == kMedia ? 1 : 0;
    }
  }

  SeededRandom random_{SeededRandom::SeedFromEnvOr(20'261'130)};
};

// That all of it really happened on a leg of the node between the others.
void ExpectRepair(const LegSnapshot& leg) {
  SCOPED_TRACE(leg.id);
  // One packet in twenty was missing, and nearly all of them came after all.
  const uint64_t missing = Counter(leg, "nack_generator", "missing");
  EXPECT_GT(missing, uint64_t{kPackets} / 25);
  EXPECT_GT(Counter(leg, "nack_generator", "repaired") * 100, missing * 97);
  EXPECT_GT(Counter(leg, "nack_generator", "nacks_sent"), 1000u);
  EXPECT_GT(Counter(leg, "nack_responder", "retransmitted"), uint64_t{kPackets} / 25);
}

void ExpectControl(const LegSnapshot& leg) {
  SCOPED_TRACE(leg.id);
  EXPECT_GT(Counter(leg, "transport_feedback", "numbered"), uint64_t{kPackets} * 95 / 100);
  EXPECT_GT(Counter(leg, "transport_feedback", "feedback_sent"), 500u);
  EXPECT_GT(Counter(leg, "transport_feedback", "feedback_received"), 500u);
  EXPECT_GT(Counter(leg, "reports", "sender_reports_sent"), 10u);
  EXPECT_GT(Counter(leg, "reports", "sender_reports_received"), 10u);
  EXPECT_GT(Counter(leg, "key_frame_throttle", "pli_sent"), 50u);
  EXPECT_GT(Counter(leg, "key_frame_throttle", "pli_received"), 50u);
  EXPECT_TRUE(leg.bandwidth.has_value());
}

class InterceptorZeroAllocTest : public testing::TestWithParam<std::tuple<SuiteId, EngineKind>> {
 protected:
  // Snapshots of the two legs that have lossy links and what comes over them on both sides.
  std::array<LegSnapshot, 2> Run(const Scenario& scenario) {
    Call call(std::get<0>(GetParam()), std::get<1>(GetParam()), scenario);
    call.Run();
    EXPECT_EQ(call.first.allocations(), 0u);
    EXPECT_EQ(call.middle.allocations(), 0u);
    EXPECT_EQ(call.last.allocations(), 0u);
    // Media alone crossed four lossy links.
    EXPECT_GT(call.lost, 4u * kPackets / 25);
    EXPECT_GT(call.shown_east, scenario.shown);
    EXPECT_GT(call.shown_west, scenario.shown);
    return {call.middle.Leg("west"), call.middle.Leg("east")};
  }
};

TEST_P(InterceptorZeroAllocTest, VideoOverLossyLinksWithAllThatItHasByDefault) {
  for (const LegSnapshot& leg : Run(Video({}))) {
    ExpectRepair(leg);
    ExpectControl(leg);
  }
}

// Packets are held, so that what is known of them is set again when they go on.
TEST_P(InterceptorZeroAllocTest, VideoOverLossyLinksPacedAndBuffered) {
  Scenario scenario = Video({.pacer = true, .jitter_buffer = true});
  // A buffer's delay follows jitter, not repair: a packet that has to be asked for twice may come
  // too late for two buffers on its way.
  scenario.shown = uint64_t{kPackets} * 96 / 100;
  for (const LegSnapshot& leg : Run(scenario)) {
    ExpectRepair(leg);
    ExpectControl(leg);
    EXPECT_GT(Counter(leg, "pacer", "passed") + Counter(leg, "pacer", "queued"),
              uint64_t{kPackets});
    EXPECT_GT(Counter(leg, "jitter_buffer", "delivered"), scenario.shown);
  }
}

// Nobody signals to the next gateway which SSRC this one drew for its parity, so it is sent and
// not used.
TEST_P(InterceptorZeroAllocTest, VideoOverLossyLinksWithParity) {
  Scenario scenario = Video({});
  scenario.payload_types.push_back(Payload(kParity, "flexfec-03"));
  for (const LegSnapshot& leg : Run(scenario)) {
    ExpectRepair(leg);
    ExpectControl(leg);
    EXPECT_GT(Counter(leg, "forward_error_correction", "encoder_parity_sent"),
              uint64_t{kPackets} / 20);
  }
}

TEST_P(InterceptorZeroAllocTest, MediaOverLossyLinksWithRedundancy) {
  Scenario scenario = Video({.redundancy = true});
  // What was agreed upon for the media must be for what it is wrapped in as well.
  scenario.payload_types.push_back(Payload(kRed, "red", scenario.payload_types.front().feedback));
  scenario.payload_types.back().associated = PayloadType(kMedia);
  for (const LegSnapshot& leg : Run(scenario)) {
    ExpectControl(leg);
    EXPECT_GT(Counter(leg, "redundancy", "encoder_wrapped"), uint64_t{kPackets} / 2);
    EXPECT_GT(Counter(leg, "redundancy", "decoder_opened"), uint64_t{kPackets} / 2);
    EXPECT_GT(Counter(leg, "redundancy", "decoder_restored"), uint64_t{kPackets} / 50);
  }
}

INSTANTIATE_TEST_SUITE_P(SuitesAndEngines, InterceptorZeroAllocTest,
                         testing::Combine(testing::Values(SuiteId::kAesCm128HmacSha1_80,
                                                          SuiteId::kAeadAes128Gcm),
                                          testing::ValuesIn(UsableEngines(DetectCpuFeatures()))),
                         [](const auto& test) {
                           return absl::StrCat(GetCipherSuite(std::get<0>(test.param)).name, "_",
                                               EngineName(std::get<1>(test.param)));
                         });

}  // namespace
}  // namespace sluice
