#include "quic/rpc/rpc_response_reader.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "base/testing/seeded_random.h"
#include "gtest/gtest.h"
#include "quic/rpc/rpc_buffer_pool.h"
#include "quic/rpc/rpc_frame.h"
#include "quic/rpc/testing/rpc_frame_bytes.h"

namespace sluice {
namespace {

using Verdict = RpcResponseReader::Verdict;

class RpcResponseReaderTest : public testing::Test {
 protected:
  // "message" of each message, then how it went; "more" as long as nothing went wrong.
  std::string Read(RpcResponseReader& reader, absl::Span<const uint8_t> data, bool fin) {
    std::string out;
    while (true) {
      const Verdict verdict = reader.Next(data, fin, share_);
      switch (verdict) {
        case Verdict::kMessage:
          absl::StrAppend(&out, std::string(reader.message().begin(), reader.message().end()), " ");
          continue;
        case Verdict::kStatus:
          return absl::StrCat(out, "status ", reader.status().code, reader.status().message);
        case Verdict::kNeedsMore:
          EXPECT_TRUE(data.empty());
          return out + "more";
        default:
          last_fault_ = verdict;
          return out + "fault";
      }
    }
  }
  std::string Read(const RpcFrameBytes& frames, bool fin = true) {
    RpcResponseReader reader;
    return Read(reader, frames.bytes(), fin);
  }
  Verdict Fault(const RpcFrameBytes& frames, bool fin = true) {
    const std::string out = Read(frames, fin);
    EXPECT_EQ(out.substr(out.size() - std::min<size_t>(out.size(), 5)), "fault") << out;
    return last_fault_;
  }

  RpcBufferPool pool_{2};
  RpcBufferShare share_{pool_, 2};
  Verdict last_fault_ = Verdict::kNeedsMore;
};

TEST_F(RpcResponseReaderTest, ReadsMessagesAndAStatus) {
  EXPECT_EQ(Read(RpcFrameBytes().Status(0)), "status 0");
  EXPECT_EQ(Read(RpcFrameBytes().Message("a").Message("").Message("c").Status(5, "!")),
            "a  c status 5!");
  EXPECT_EQ(pool_.exhausted() + share_.exhausted(), 0u);
}

TEST_F(RpcResponseReaderTest, MessagesAreGivenAsSoonAsTheyAreThere) {
  RpcResponseReader reader;
  EXPECT_EQ(Read(reader, RpcFrameBytes().Message("event").bytes(), false), "event more");
  EXPECT_EQ(share_.taken(), 0u);
  EXPECT_EQ(Read(reader, RpcFrameBytes().Message("other").Head(2, 5).bytes(), false), "other more");
  EXPECT_EQ(share_.taken(), 1u);
  EXPECT_EQ(Read(reader, TextBytes("third"), false), "third more");
  EXPECT_EQ(share_.taken(), 0u);
}

TEST_F(RpcResponseReaderTest, AStatusWaitsForTheEnd) {
  RpcResponseReader reader;
  {
    const std::vector<uint8_t> gone = RpcFrameBytes().Status(7, "no").bytes();
    EXPECT_EQ(Read(reader, gone, false), "more");
  }
  EXPECT_EQ(share_.taken(), 1u);
  EXPECT_EQ(Read(reader, RpcFrameBytes().Frame(0x33, "ignored").bytes(), false), "more");
  EXPECT_EQ(Read(reader, {}, true), "status 7no");
}

TEST_F(RpcResponseReaderTest, FaultsHaveNames) {
  EXPECT_EQ(Fault(RpcFrameBytes().Header("J")), Verdict::kFrameUnexpected);
  EXPECT_EQ(Fault(RpcFrameBytes().Status(0).Message("late")), Verdict::kFrameUnexpected);
  EXPECT_EQ(Fault(RpcFrameBytes().Status(0).Status(0)), Verdict::kFrameUnexpected);
  EXPECT_EQ(Fault(RpcFrameBytes().Head(2, kMaxRpcMessage + 1), false), Verdict::kFrameTooLong);
  EXPECT_EQ(Fault(RpcFrameBytes().Head(3, kMaxRpcStatus + 1), false), Verdict::kFrameTooLong);
  EXPECT_EQ(Fault(RpcFrameBytes().Frame(3, "\x08")), Verdict::kFrameMalformed);
  EXPECT_EQ(Fault(RpcFrameBytes().Head(0x77, kMaxRpcUnknown), false), Verdict::kTooMuchUnknown);
  EXPECT_EQ(Fault(RpcFrameBytes()), Verdict::kTruncated);
  EXPECT_EQ(Fault(RpcFrameBytes().Message("only")), Verdict::kTruncated);
  EXPECT_EQ(Fault(RpcFrameBytes().Status(0).Head(0x77, 5)), Verdict::kTruncated);
}

TEST_F(RpcResponseReaderTest, TheLongestFramesAreTaken) {
  const std::string message(kMaxRpcMessage, 'm');
  EXPECT_EQ(Read(RpcFrameBytes().Message(message).Status(0)), message + " status 0");
  RpcResponseReader reader;
  EXPECT_EQ(Read(reader, RpcFrameBytes().Head(2, kMaxRpcMessage).bytes(), false), "more");
  EXPECT_EQ(Read(reader, TextBytes(message), false), message + " more");
}

TEST_F(RpcResponseReaderTest, WithoutABufferOnlyWholeFramesAreRead) {
  const RpcBuffer a = share_.Take();
  const RpcBuffer b = share_.Take();
  EXPECT_EQ(Read(RpcFrameBytes().Message("whole").Status(3)), "whole status 3");
  EXPECT_EQ(Fault(RpcFrameBytes().Head(2, 5), false), Verdict::kNoBuffer);
  EXPECT_EQ(Fault(RpcFrameBytes().Status(3), false), Verdict::kNoBuffer);
  EXPECT_EQ(Read(RpcFrameBytes().Status(0), false), "more") << "nothing to keep";
}

TEST_F(RpcResponseReaderTest, AnySplitOfTheBytesGivesTheSameAnswers) {
  const uint64_t seed = SeededRandom::SeedFromEnvOr(36);
  SCOPED_TRACE(absl::StrCat("replay with SLUICE_TEST_SEED=", seed));
  SeededRandom random(seed);
  int answered = 0;
  for (int round = 0; round < 3000; ++round) {
    RpcFrameBytes frames;
    for (uint64_t left = random.Below(5); left > 0; --left) {
      const std::string payload(random.Below(random.Below(3) == 0 ? 3000 : 4),
                                static_cast<char>('a' + random.Below(26)));
      frames.Frame(static_cast<uint8_t>(random.Below(20) == 0 ? random.Below(256) : 2), payload);
    }
    if (random.Below(8) != 0) frames.Status(static_cast<uint8_t>(random.Below(17)), "why");
    const std::string expected = Read(frames);
    RpcResponseReader reader;
    std::string out = "more";
    absl::Span<const uint8_t> rest = frames.bytes();
    while (out.ends_with("more")) {
      const size_t size = std::min<size_t>(rest.size(), random.Below(round % 2 == 0 ? 4 : 2000));
      const std::vector<uint8_t> part(rest.begin(), rest.begin() + size);
      out.resize(out.size() - 4);
      out += Read(reader, part, size == rest.size());
      rest.remove_prefix(size);
    }
    ASSERT_EQ(out, expected);
    answered += out.find("status") != std::string::npos;
  }
  EXPECT_GT(answered, 1000);
  EXPECT_EQ(share_.taken(), 0u);
}

}  // namespace
}  // namespace sluice
