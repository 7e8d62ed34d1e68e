// A film over a path that loses every twentieth packet, between two gateways with NACK and
// retransmissions: it arrives whole, and everybody who counted on its way counted the same.

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/e2e/control_client.h"
#include "tests/e2e/deadline.h"
#include "tests/e2e/lossy_video_call.h"

namespace sluice {
namespace {

using ::testing::_;
using ::testing::Each;
using ::testing::Pair;
using ::testing::SizeIs;

class LossyVideoTest : public LossyVideoCall {};

TEST_F(LossyVideoTest, EveryPacketArrivesOnceAndEveryFrameIsSeen) {
  ASSERT_NO_FATAL_FAILURE(StartCall(/*seed=*/1));
  ASSERT_NO_FATAL_FAILURE(PlayFilm());
  EXPECT_THAT(arrivals(), SizeIs(sent()));
  EXPECT_THAT(arrivals(), Each(Pair(_, 1)));
  const std::vector<std::string> frames = viewer().ReceiveFrames(kFrames, Deadline::Generous());
  const std::vector<std::string>& film = clip().frame_hashes();
  EXPECT_EQ(frames, std::vector<std::string>(film.begin(), film.begin() + kFrames));
  const LossyCallFigures figures = EndCall();
  // That it was whole says something.
  EXPECT_GT(figures.there.rtp.dropped, sent() / 50);
}

// Where nothing is reordered and RTCP is not lost, these are equations, not estimates.
TEST_F(LossyVideoTest, BothGatewaysCountWhatTheRelayCounted) {
  ASSERT_NO_FATAL_FAILURE(StartCall(/*seed=*/2));
  ASSERT_NO_FATAL_FAILURE(PlayFilm());
  const LossyCallFigures figures = EndCall();
  const pb::LegStats& near = figures.near_link;
  const pb::LegStats& far = figures.far_link;
  EXPECT_EQ(figures.there.unexpected, 0u);
  EXPECT_EQ(figures.back.unexpected, 0u);
  EXPECT_EQ(figures.there.rtcp.dropped, 0u);

  // What the near gateway sent is what the relay got: the film, and retransmissions.
  const uint64_t retransmitted = CounterOf(near, "nack_responder", "retransmitted");
  EXPECT_EQ(StreamOf(near, kSsrc, pb::DIRECTION_SENT).packets(), figures.sent);
  EXPECT_EQ(StreamOf(near, kSsrc, pb::DIRECTION_SENT).retransmitted_packets(), retransmitted);
  EXPECT_EQ(PacketsOf(near, kRtxPayloadType, pb::DIRECTION_SENT), retransmitted);
  EXPECT_EQ(figures.there.rtp.all(), figures.sent + retransmitted);
  EXPECT_EQ(figures.there.rtp.all() + figures.there.rtcp.all(), near.packets_sent());

  // What the relay forwarded is what the far gateway received.
  const uint64_t came_again = PacketsOf(far, kRtxPayloadType, pb::DIRECTION_RECEIVED);
  EXPECT_EQ(StreamOf(far, kSsrc, pb::DIRECTION_RECEIVED).retransmitted_packets(), came_again);
  EXPECT_EQ(figures.there.rtp.forwarded + figures.there.rtcp.forwarded, far.packets_received());

  // What the relay dropped is what the far gateway missed, and retransmissions that got lost too.
  const uint64_t missing = CounterOf(far, "nack_generator", "missing");
  EXPECT_GT(missing, 0u);
  EXPECT_EQ(figures.there.rtp.dropped, missing + (retransmitted - came_again));
  // All of that was asked for and came; what came twice was dropped.
  EXPECT_EQ(CounterOf(far, "nack_generator", "repaired"), missing);
  EXPECT_EQ(CounterOf(far, "nack_generator", "given_up"), 0u);
  EXPECT_EQ(CounterOf(far, "nack_generator", "restored"), missing);
  EXPECT_EQ(CounterOf(far, "nack_generator", "restored_duplicates"), came_again - missing);

  // Each request was heard, and answered unless the answer was under way already.
  EXPECT_EQ(CounterOf(near, "nack_responder", "nacks_received"),
            CounterOf(far, "nack_generator", "nacks_sent"));
  EXPECT_EQ(CounterOf(near, "nack_responder", "requests"),
            CounterOf(far, "nack_generator", "requests_sent"));
  EXPECT_EQ(CounterOf(near, "nack_responder", "requests"),
            retransmitted + CounterOf(near, "nack_responder", "under_way"));
}

}  // namespace
}  // namespace sluice
