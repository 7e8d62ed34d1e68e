#include "interceptor/keyframe/key_frame_throttle.h"

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "base/timestamp.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "interceptor/attributes_arena.h"
#include "interceptor/chain.h"
#include "interceptor/intercepted_packet.h"
#include "interceptor/interceptor_event.h"
#include "interceptor/interceptor_outbox.h"
#include "interceptor/rtcp/compound.h"
#include "interceptor/rtcp/fir.h"
#include "interceptor/rtcp/pli.h"
#include "interceptor/stream_info.h"
#include "interceptor/testing/chain_harness.h"
#include "srtp/packet_arena.h"
#include "srtp/rtcp_packet_view.h"
#include "srtp/rtp_types.h"
#include "srtp/testing/packet_builder.h"
#include "tests/alloc/counting_allocator.h"

namespace sluice {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using Bytes = std::vector<uint8_t>;

constexpr uint32_t kVideo = 0xB0;
constexpr uint32_t kFirVideo = 0xB2;
constexpr uint32_t kUnknownCodec = 0xB4;
constexpr uint32_t kMute = 0xB6;
constexpr uint32_t kAudio = 0xA0;

Timestamp Ms(int64_t ms) { return Timestamp::Millis(ms); }

StreamInfo Stream(uint32_t ssrc, PayloadCodec codec = PayloadCodec::kVp8, bool pli = true) {
  StreamInfo info;
  info.ssrc = Ssrc(ssrc);
  info.video = true;
  info.feedback.picture_loss_indication = pli;
  info.feedback.full_intra_request = true;
  EXPECT_TRUE(info.AddFormat({.payload_type = PayloadType(96), .codec = codec}));
  return info;
}

Bytes Vp8(bool key_frame, uint32_t ssrc = kVideo) {
  return RtpPacketBuilder()
      .WithSsrc(ssrc)
      .WithPayload({0x10, static_cast<uint8_t>(key_frame ? 0x00 : 0x01), 1, 2})
      .Build();
}

Bytes Pli(uint32_t ssrc) {
  Bytes bytes(12);
  EXPECT_EQ(WritePictureLoss({.sender = Ssrc(9), .media = Ssrc(ssrc)}, absl::MakeSpan(bytes)), 12u);
  return bytes;
}

Bytes Fir(std::vector<FullIntraTarget> targets) {
  Bytes bytes(12 + 8 * targets.size());
  EXPECT_EQ(WriteFullIntraRequest(Ssrc(9), targets, absl::MakeSpan(bytes)), bytes.size());
  return bytes;
}

// Requests in RTCP: "pli 176", "fir 178 #3".
std::vector<std::string> Asked(const ChainOutput& output) {
  std::vector<std::string> asked;
  for (const Bytes& datagram : output.rtcp) {
    ReadCompound(*RtcpPacketView::Parse(datagram),
                 RtcpReader{[&](const PictureLoss& loss) {
                              EXPECT_EQ(loss.sender, Ssrc(7));
                              asked.push_back(absl::StrCat("pli ", loss.media));
                            },
                            [&](const FullIntraRequestView& request) {
                              EXPECT_EQ(request.sender(), Ssrc(7));
                              for (size_t i = 0; i < request.target_count(); ++i) {
                                asked.push_back(absl::StrCat("fir ", request.target(i).ssrc, " #",
                                                             request.target(i).sequence));
                              }
                            }});
  }
  return asked;
}

// The SSRCs of requests raised.
std::vector<uint32_t> Raised(const ChainOutput& output) {
  std::vector<uint32_t> ssrcs;
  for (const KeyFrameRequested& event : output.EventsOf<KeyFrameRequested>()) {
    ssrcs.push_back(event.ssrc.value());
  }
  return ssrcs;
}

// A throttle in a chain with the same streams both ways.
struct Leg {
  explicit Leg(KeyFrameThrottleOptions options = {},
               const ChainHarnessOptions& harness_options = {}) {
    options.sender = Ssrc(7);
    auto made = KeyFrameThrottle::Create(options);
    EXPECT_TRUE(made.ok()) << made.status();
    throttle = made->get();
    harness = std::make_unique<ChainHarness>(*std::move(made), harness_options);
    StreamInfo mute = Stream(kMute);
    mute.feedback = {};
    StreamInfo audio = Stream(kAudio);
    audio.video = false;
    for (const StreamInfo& info : {Stream(kVideo), Stream(kFirVideo, PayloadCodec::kVp8, false),
                                   Stream(kUnknownCodec, PayloadCodec::kOther), mute, audio}) {
      for (const PacketDirection direction :
           {PacketDirection::kIncoming, PacketDirection::kOutgoing}) {
        Add(direction, info);
      }
    }
  }

  void Add(PacketDirection direction, const StreamInfo& info) {
    EXPECT_EQ(harness->chain().AddStream(Ms(0), direction, info), AddStreamVerdict::kOk);
  }
  void Remove(PacketDirection direction, uint32_t ssrc) {
    EXPECT_TRUE(harness->chain().RemoveStream(Ms(0), direction, Ssrc(ssrc)));
  }
  // What is asked of the peer when a key frame is needed.
  std::vector<std::string> Need(int64_t ms, uint32_t ssrc = kVideo) {
    return Asked(harness->Event(Ms(ms), KeyFrameNeeded{Ssrc(ssrc)}));
  }
  std::vector<std::string> AskedAt(int64_t ms) { return Asked(harness->Timeout(Ms(ms))); }
  // What is raised when the peer sends this.
  std::vector<uint32_t> Receive(int64_t ms, const Bytes& rtcp) {
    return Raised(harness->IncomingRtcp(Ms(ms), {rtcp}));
  }
  Timestamp next() { return harness->chain().NextTimeout(); }
  const KeyFrameThrottleCounters& counters() const { return throttle->counters(); }

  KeyFrameThrottle* throttle;
  std::unique_ptr<ChainHarness> harness;
};

TEST(KeyFrameThrottleTest, OptionsHaveRanges) {
  const auto refused = [](const KeyFrameThrottleOptions& options) {
    return KeyFrameThrottle::Create(options).status().code() == absl::StatusCode::kInvalidArgument;
  };
  EXPECT_FALSE(refused({}));
  EXPECT_TRUE(refused({.max_streams = 0}));
  EXPECT_TRUE(refused({.max_streams = 1025}));
  EXPECT_TRUE(refused({.request = {.max_attempts = 0}}));
}

// ---- From the peer. ----

TEST(KeyFrameThrottleTest, AsksByPliWhereItWasNegotiated) {
  Leg leg;
  EXPECT_THAT(leg.Need(0), ElementsAre("pli 176"));
  EXPECT_EQ(leg.counters().pli_sent, 1u);
}

TEST(KeyFrameThrottleTest, AStormOfNeedsIsOneRequest) {
  Leg leg;
  EXPECT_THAT(leg.Need(0), SizeIs(1));
  for (int64_t ms = 0; ms < 300; ++ms) {
    ASSERT_THAT(leg.Need(ms), IsEmpty()) << ms;
  }
  EXPECT_EQ(leg.counters().coalesced, 300u);
  // Streams do not wait for each other.
  EXPECT_THAT(leg.Need(299, kFirVideo), SizeIs(1));
}

TEST(KeyFrameThrottleTest, RepeatsUntilAKeyFrameComes) {
  Leg leg;
  leg.Need(0);
  EXPECT_EQ(leg.next(), Ms(500));
  EXPECT_THAT(leg.AskedAt(500), ElementsAre("pli 176"));
  // Neither another frame nor another stream's.
  leg.harness->IncomingRtp(Ms(600), {Vp8(false), Vp8(true, kFirVideo)});
  EXPECT_THAT(leg.AskedAt(1000), ElementsAre("pli 176"));
  leg.harness->IncomingRtp(Ms(1100), {Vp8(true)});
  EXPECT_EQ(leg.next(), Timestamp::PlusInfinity());
  EXPECT_THAT(leg.AskedAt(10'000), IsEmpty());
  EXPECT_EQ(leg.counters().satisfied, 1u);
  EXPECT_EQ(leg.counters().repeated, 2u);
}

TEST(KeyFrameThrottleTest, GivesUp) {
  Leg leg({.request = {.max_attempts = 3}});
  size_t asked = leg.Need(0).size();
  for (int64_t ms = 0; ms < 10'000; ++ms) {
    asked += leg.AskedAt(ms).size();
  }
  EXPECT_EQ(asked, 3u);
  EXPECT_EQ(leg.counters().given_up, 1u);
  EXPECT_EQ(leg.next(), Timestamp::PlusInfinity());
}

TEST(KeyFrameThrottleTest, WhereKeyFramesCannotBeToldMediaThatFlowsEndsTheRequest) {
  Leg leg;
  size_t asked = leg.Need(0, kUnknownCodec).size();
  for (int64_t ms = 0; ms < 10'000; ms += 20) {
    leg.harness->IncomingRtp(Ms(ms), {Vp8(false, kUnknownCodec)});
    asked += leg.AskedAt(ms).size();
  }
  EXPECT_EQ(asked, 1u);
  EXPECT_EQ(leg.counters().ended_by_media, 1u);
  EXPECT_EQ(leg.counters().given_up, 0u);
  // Needed again, it is asked for again.
  EXPECT_THAT(leg.Need(10'000, kUnknownCodec), SizeIs(1));
}

TEST(KeyFrameThrottleTest, WhereKeyFramesCannotBeToldARequestWithoutMediaIsRepeatedAndGivenUp) {
  Leg leg({.request = {.max_attempts = 3}});
  size_t asked = leg.Need(0, kUnknownCodec).size();
  for (int64_t ms = 0; ms < 10'000; ++ms) {
    asked += leg.AskedAt(ms).size();
  }
  EXPECT_EQ(asked, 3u);
  EXPECT_EQ(leg.counters().given_up, 1u);
  EXPECT_EQ(leg.next(), Timestamp::PlusInfinity());
}

TEST(KeyFrameThrottleTest, WhereKeyFramesCannotBeToldAStormIsOneRequestInEachInterval) {
  Leg leg;
  size_t asked = 0;
  for (int64_t ms = 0; ms < 3000; ms += 10) {
    leg.harness->IncomingRtp(Ms(ms), {Vp8(false, kUnknownCodec)});
    asked += leg.Need(ms, kUnknownCodec).size();
    asked += leg.AskedAt(ms).size();
  }
  EXPECT_GE(asked, 9u);
  EXPECT_LE(asked, 10u);
}

TEST(KeyFrameThrottleTest, FirNumbersNameRequestsAndNotRepetitions) {
  Leg leg;
  EXPECT_THAT(leg.Need(0, kFirVideo), ElementsAre("fir 178 #1"));
  EXPECT_THAT(leg.AskedAt(500), ElementsAre("fir 178 #1"));
  leg.harness->IncomingRtp(Ms(600), {Vp8(true, kFirVideo)});
  EXPECT_THAT(leg.Need(1000, kFirVideo), ElementsAre("fir 178 #2"));
  // RFC 5104 section 4.3.1.2: the media SSRC is 0.
  const ChainOutput output = leg.harness->Timeout(Ms(1500));
  ASSERT_THAT(output.rtcp, SizeIs(1));
  EXPECT_EQ(output.rtcp[0][1], 206);
  EXPECT_THAT(absl::MakeConstSpan(output.rtcp[0]).subspan(8, 4), ElementsAre(0, 0, 0, 0));
  EXPECT_EQ(leg.counters().fir_sent, 4u);
}

TEST(KeyFrameThrottleTest, FirNumbersWrapAt256) {
  Leg leg;
  std::string last;
  for (int64_t i = 0; i < 257; ++i) {
    const std::vector<std::string> asked = leg.Need(1000 * i, kFirVideo);
    ASSERT_THAT(asked, SizeIs(1));
    last = asked[0];
    leg.harness->IncomingRtp(Ms(1000 * i + 1), {Vp8(true, kFirVideo)});
  }
  EXPECT_EQ(last, "fir 178 #1");
}

TEST(KeyFrameThrottleTest, TheFirstFirOfAStreamThatComesBackIsNoRepetition) {
  Leg leg;
  EXPECT_THAT(leg.Need(0, kFirVideo), ElementsAre("fir 178 #1"));
  leg.Remove(PacketDirection::kIncoming, kFirVideo);
  leg.Remove(PacketDirection::kIncoming, kVideo);
  // In another place than before.
  leg.Add(PacketDirection::kIncoming, Stream(kFirVideo, PayloadCodec::kVp8, false));
  EXPECT_THAT(leg.Need(1, kFirVideo), ElementsAre("fir 178 #2"));
}

TEST(KeyFrameThrottleTest, NothingIsAskedForAfterTheStreamIsRemoved) {
  Leg leg;
  leg.Need(0);
  leg.Remove(PacketDirection::kIncoming, kVideo);
  EXPECT_EQ(leg.next(), Timestamp::PlusInfinity());
  EXPECT_THAT(leg.AskedAt(10'000), IsEmpty());
  EXPECT_THAT(leg.Need(10'001), IsEmpty());
  EXPECT_EQ(leg.counters().unknown_stream, 1u);
}

TEST(KeyFrameThrottleTest, AnOutgoingStreamThatEndsStopsNoRequestOfAnIncomingOne) {
  Leg leg;
  leg.Need(0);
  leg.Remove(PacketDirection::kOutgoing, kVideo);
  EXPECT_THAT(leg.AskedAt(500), ElementsAre("pli 176"));
}

TEST(KeyFrameThrottleTest, NeedsThatNobodyCanServeAreCounted) {
  Leg leg;
  EXPECT_THAT(leg.Need(0, kMute), IsEmpty());
  EXPECT_THAT(leg.Need(0, kAudio), IsEmpty());
  EXPECT_THAT(leg.Need(0, 0xEE), IsEmpty());
  EXPECT_EQ(leg.counters().unsupported, 1u);
  EXPECT_EQ(leg.counters().unknown_stream, 2u);
  EXPECT_EQ(leg.next(), Timestamp::PlusInfinity());
}

TEST(KeyFrameThrottleTest, ARequestThatFoundNoRoomIsRepeated) {
  Leg leg({}, {.outbox = {.rtcp_packets = 0}});
  EXPECT_THAT(leg.Need(0), IsEmpty());
  EXPECT_EQ(leg.counters().dropped, 1u);
  EXPECT_EQ(leg.counters().pli_sent, 0u);
  EXPECT_EQ(leg.next(), Ms(500));
}

// ---- To the peer. ----

TEST(KeyFrameThrottleTest, ThePeersPliIsRaised) {
  Leg leg;
  EXPECT_THAT(leg.Receive(0, Pli(kVideo)), ElementsAre(kVideo));
  EXPECT_EQ(leg.counters().pli_received, 1u);
  EXPECT_EQ(leg.counters().raised, 1u);
}

TEST(KeyFrameThrottleTest, AStormFromThePeerIsRaisedOnceInEachInterval) {
  Leg leg;
  size_t raised = 0;
  for (int64_t ms = 0; ms < 3000; ++ms) {
    raised += leg.Receive(ms, Pli(kVideo)).size();
    raised += Raised(leg.harness->Timeout(Ms(ms))).size();
  }
  EXPECT_EQ(raised, 10u);
}

TEST(KeyFrameThrottleTest, RequestsToTheSourceAreNotRepeatedHere) {
  Leg leg;
  leg.Receive(0, Pli(kVideo));
  for (int64_t ms = 0; ms < 10'000; ++ms) {
    ASSERT_THAT(Raised(leg.harness->Timeout(Ms(ms))), IsEmpty()) << ms;
  }
}

TEST(KeyFrameThrottleTest, AKeyFrameToThePeerAnswersWhatStillWaits) {
  Leg leg;
  leg.Receive(0, Pli(kVideo));
  leg.Receive(100, Pli(kVideo));
  leg.harness->OutgoingRtp(Ms(200), {Vp8(false)});
  EXPECT_EQ(leg.next(), Ms(300));
  leg.harness->OutgoingRtp(Ms(200), {Vp8(true)});
  EXPECT_EQ(leg.next(), Timestamp::PlusInfinity());
  EXPECT_THAT(Raised(leg.harness->Timeout(Ms(1000))), IsEmpty());
}

TEST(KeyFrameThrottleTest, FirTargetsAreInItsEntriesAndNotInItsMediaSsrc) {
  Leg leg;
  EXPECT_THAT(leg.Receive(0, Fir({{Ssrc(kVideo), 1}, {Ssrc(0xEE), 1}, {Ssrc(kFirVideo), 5}})),
              ElementsAre(kVideo, kFirVideo));
  EXPECT_EQ(leg.counters().fir_received, 3u);
  EXPECT_EQ(leg.counters().unknown_target, 1u);
}

TEST(KeyFrameThrottleTest, ARepeatedFirIsTheSameRequest) {
  Leg leg;
  EXPECT_THAT(leg.Receive(0, Fir({{Ssrc(kVideo), 1}})), SizeIs(1));
  leg.harness->OutgoingRtp(Ms(100), {Vp8(true)});
  // On its way when the key frame came.
  EXPECT_THAT(leg.Receive(400, Fir({{Ssrc(kVideo), 1}})), IsEmpty());
  EXPECT_EQ(leg.counters().fir_repeated, 1u);
  EXPECT_THAT(leg.Receive(500, Fir({{Ssrc(kVideo), 2}})), SizeIs(1));
  leg.harness->Timeout(Ms(1000));
  // Much later, from a peer that does not count.
  EXPECT_THAT(leg.Receive(5000, Fir({{Ssrc(kVideo), 2}})), SizeIs(1));
}

TEST(KeyFrameThrottleTest, TheFirstFirIsARequestWhateverItsNumber) {
  Leg leg;
  EXPECT_THAT(leg.Receive(0, Fir({{Ssrc(kVideo), 0}})), SizeIs(1));
}

TEST(KeyFrameThrottleTest, RequestsForOtherStreamsAreCounted) {
  Leg leg;
  EXPECT_THAT(leg.Receive(0, Pli(0xEE)), IsEmpty());
  EXPECT_THAT(leg.Receive(0, Pli(kAudio)), IsEmpty());
  leg.Remove(PacketDirection::kOutgoing, kVideo);
  EXPECT_THAT(leg.Receive(0, Pli(kVideo)), IsEmpty());
  EXPECT_EQ(leg.counters().unknown_target, 3u);
}

TEST(KeyFrameThrottleTest, MalformedRequestsAreCounted) {
  Leg leg;
  Bytes fir = Fir({{Ssrc(kVideo), 1}});
  fir.resize(16);
  fir[3] = 3;
  EXPECT_THAT(leg.Receive(0, fir), IsEmpty());
  EXPECT_EQ(leg.counters().malformed, 1u);
}

TEST(KeyFrameThrottleTest, AllocatesNothing) {
  PacketArena packets(16);
  AttributesArena attributes(4);
  InterceptorOutbox out({}, packets, attributes);
  const std::unique_ptr<KeyFrameThrottle> throttle = *KeyFrameThrottle::Create({});
  const StreamInfo info = Stream(kVideo);
  for (const PacketDirection direction : {PacketDirection::kIncoming, PacketDirection::kOutgoing}) {
    throttle->OnStreamAdded(Ms(0), direction, StreamSlot(0), info);
  }
  PacketLoan media = RtpPacketBuilder().WithSsrc(kVideo).WithPayload({0x10, 0}).BuildInto(packets);
  PacketLoan rtcp = packets.Lend();
  ASSERT_TRUE(rtcp.Resize(12));
  ASSERT_EQ(WritePictureLoss({.media = Ssrc(kVideo)}, rtcp.bytes()), 12u);
  InterceptedRtp row = *InterceptedRtp::Of(media);
  row.stream = StreamSlot(0);
  InterceptedRtcp datagram = *InterceptedRtcp::Of(rtcp);
  const uint64_t before = ThreadAllocations();
  for (int64_t i = 0; i < 10'000; ++i) {
    throttle->OnEvent(Ms(100 * i), KeyFrameNeeded{Ssrc(kVideo)}, out);
    throttle->OnIncomingRtcp(Ms(100 * i), absl::MakeSpan(&datagram, 1), out);
    throttle->OnTimeout(Ms(100 * i), out);
    if (i % 7 == 0) {
      throttle->OnIncomingRtp(Ms(100 * i), absl::MakeSpan(&row, 1), out);
      throttle->OnOutgoingRtp(Ms(100 * i), absl::MakeSpan(&row, 1), out);
    }
    out.EndBatch();
  }
  EXPECT_EQ(ThreadAllocations() - before, 0u);
  EXPECT_GT(throttle->counters().satisfied, 1000u);
}

}  // namespace
}  // namespace sluice
