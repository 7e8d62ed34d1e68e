#include "quic/rpc/rpc_request_reader.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "base/testing/seeded_random.h"
#include "base/time_delta.h"
#include "gtest/gtest.h"
#include "quic/codec/varint.h"
#include "quic/rpc/rpc_buffer_pool.h"
#include "quic/rpc/rpc_frame.h"
#include "quic/rpc/rpc_request_header.h"
#include "quic/rpc/testing/rpc_frame_bytes.h"

namespace sluice {
namespace {

using Verdict = RpcRequestReader::Verdict;

class RpcRequestReaderTest : public testing::Test {
 protected:
  // All at once, with the end.
  Verdict Read(const RpcFrameBytes& frames, bool fin = true) {
    RpcRequestReader reader;
    return reader.Read(frames.bytes(), fin, share_);
  }

  RpcBufferPool pool_{2};
  RpcBufferShare share_{pool_, 2};
};

TEST_F(RpcRequestReaderTest, ReadsAHeaderAndAMessage) {
  RpcRequestReader reader;
  const RpcFrameBytes frames = RpcFrameBytes().Header("Join", "token", 250).Message("hello");
  ASSERT_EQ(reader.Read(frames.bytes(), true, share_), Verdict::kComplete);
  EXPECT_EQ(reader.header().method, "Join");
  EXPECT_EQ(reader.header().token, "token");
  EXPECT_EQ(reader.header().timeout, TimeDelta::Millis(250));
  EXPECT_EQ(reader.message(), TextBytes("hello"));
}

TEST_F(RpcRequestReaderTest, ViewsLastAsLongAsTheBuffer) {
  RpcRequestReader reader;
  ASSERT_EQ(reader.Read(RpcFrameBytes().Header("Join").Message("hello").bytes(), true, share_),
            Verdict::kComplete);
  const absl::Span<const uint8_t> message = reader.message();
  const RpcRequestHeader header = reader.header();
  const RpcBuffer buffer = reader.TakeBuffer();
  EXPECT_EQ(share_.taken(), 1u);
  EXPECT_EQ(message, TextBytes("hello"));
  EXPECT_EQ(header.method, "Join");
}

TEST_F(RpcRequestReaderTest, TakesWhatIsAsLongAsItMayBe) {
  const std::string message(kMaxRpcMessage, 'm');
  // Tag, length of two bytes; "J" with tag and length of one.
  const std::string token(kMaxRpcHeader - 3 - 3, 't');
  RpcRequestReader reader;
  const RpcFrameBytes frames = RpcFrameBytes().Header("J", token).Message(message);
  ASSERT_EQ(reader.Read(frames.bytes(), true, share_), Verdict::kComplete);
  EXPECT_EQ(reader.header().token, token);
  EXPECT_EQ(reader.message(), TextBytes(message));
  EXPECT_EQ(Read(RpcFrameBytes().Header("J", token + "t").Message("")), Verdict::kFrameTooLong);
  EXPECT_EQ(Read(RpcFrameBytes().Header("J").Message(message + "m")), Verdict::kFrameTooLong);
}

TEST_F(RpcRequestReaderTest, WhatIsTooLongIsRefusedByItsHead) {
  EXPECT_EQ(Read(RpcFrameBytes().Head(1, kMaxRpcHeader + 1), false), Verdict::kFrameTooLong);
  EXPECT_EQ(Read(RpcFrameBytes().Header("J").Head(2, kMaxVarint), false), Verdict::kFrameTooLong);
  EXPECT_EQ(share_.taken(), 0u);
}

TEST_F(RpcRequestReaderTest, TheOrderIsHeaderMessageEnd) {
  EXPECT_EQ(Read(RpcFrameBytes().Message("m")), Verdict::kFrameUnexpected);
  EXPECT_EQ(Read(RpcFrameBytes().Status(0)), Verdict::kFrameUnexpected);
  EXPECT_EQ(Read(RpcFrameBytes().Header("J").Header("J")), Verdict::kFrameUnexpected);
  EXPECT_EQ(Read(RpcFrameBytes().Header("J").Status(0)), Verdict::kFrameUnexpected);
  EXPECT_EQ(Read(RpcFrameBytes().Header("J").Message("").Message("")), Verdict::kFrameUnexpected);
  EXPECT_EQ(Read(RpcFrameBytes().Header("J").Message("").Header("J")), Verdict::kFrameUnexpected);
  EXPECT_EQ(Read(RpcFrameBytes().Header("J").Message("").Status(0)), Verdict::kFrameUnexpected);
}

TEST_F(RpcRequestReaderTest, TheEndInTheMiddleIsTruncation) {
  const std::vector<uint8_t> whole =
      RpcFrameBytes().Frame(0x50, "?").Header("Join", "t").Message("hello").bytes();
  for (size_t size = 0; size < whole.size(); ++size) {
    RpcRequestReader reader;
    EXPECT_EQ(reader.Read(absl::MakeConstSpan(whole).first(size), true, share_),
              Verdict::kTruncated)
        << size;
  }
  EXPECT_EQ(Read(RpcFrameBytes().Header("J").Message("").Head(0x50, 3, 1)), Verdict::kTruncated);
}

TEST_F(RpcRequestReaderTest, AHeaderMustBeOne) {
  EXPECT_EQ(Read(RpcFrameBytes().Frame(1, "")), Verdict::kFrameMalformed);
  EXPECT_EQ(Read(RpcFrameBytes().Frame(1, "\x0a\x09J")), Verdict::kFrameMalformed);
  EXPECT_EQ(Read(RpcFrameBytes().Header("no blanks")), Verdict::kFrameMalformed);
  EXPECT_EQ(Read(RpcFrameBytes().Header("J", "a b")), Verdict::kFrameMalformed);
}

TEST_F(RpcRequestReaderTest, UnknownFramesMayStandAnywhereUpToABound) {
  const RpcFrameBytes good = RpcFrameBytes()
                                 .Frame(0x00, "a")
                                 .Header("J")
                                 .Frame(0x04, std::string(10'000, 'b'))
                                 .Message("m")
                                 .Frame(0xff, "");
  EXPECT_EQ(Read(good), Verdict::kComplete);
  EXPECT_EQ(Read(RpcFrameBytes().Header("J").Head(0x40, kMaxRpcUnknown)), Verdict::kTooMuchUnknown);
}

TEST_F(RpcRequestReaderTest, WithoutABufferThereIsNoRequest) {
  const RpcBuffer a = share_.Take();
  const RpcBuffer b = share_.Take();
  EXPECT_EQ(Read(RpcFrameBytes().Header("J"), false), Verdict::kNoBuffer);
  EXPECT_EQ(Read(RpcFrameBytes().Frame(0x40, "unknown"), false), Verdict::kIncomplete);
}

// A frame of some type and length, right or wrong.
void AppendAnything(SeededRandom& random, RpcFrameBytes& frames) {
  switch (random.Below(8)) {
    case 0:
      frames.Header("Join", std::string(random.Below(300), 't'), random.NextU32());
      break;
    case 1:
      frames.Message(std::string(random.Below(3000), 'm'));
      break;
    case 2:
      frames.Frame(static_cast<uint8_t>(random.Below(256)), std::string(random.Below(300), 'u'));
      break;
    default:
      if (frames.bytes().empty()) {
        frames.Header("Join");
      } else {
        frames.Message("m");
      }
  }
}

TEST_F(RpcRequestReaderTest, AnySplitOfTheBytesGivesTheSameRequest) {
  const uint64_t seed = SeededRandom::SeedFromEnvOr(35);
  SCOPED_TRACE(absl::StrCat("replay with SLUICE_TEST_SEED=", seed));
  SeededRandom random(seed);
  int complete = 0;
  for (int round = 0; round < 3000; ++round) {
    RpcFrameBytes frames;
    for (uint64_t left = random.Below(4); left > 0; --left) AppendAnything(random, frames);
    RpcRequestReader whole;
    const Verdict expected = whole.Read(frames.bytes(), true, share_);
    RpcRequestReader reader;
    Verdict verdict = Verdict::kIncomplete;
    absl::Span<const uint8_t> rest = frames.bytes();
    while (verdict == Verdict::kIncomplete) {
      const size_t size = std::min<size_t>(rest.size(), random.Below(round % 2 == 0 ? 4 : 2000));
      verdict = reader.Read(rest.first(size), size == rest.size(), share_);
      rest.remove_prefix(size);
    }
    ASSERT_EQ(verdict, expected);
    if (verdict != Verdict::kComplete) continue;
    ++complete;
    EXPECT_EQ(reader.header(), whole.header());
    EXPECT_EQ(reader.message(), whole.message());
  }
  EXPECT_GT(complete, 300);
  EXPECT_EQ(share_.taken(), 0u);
}

}  // namespace
}  // namespace sluice
