#include "quic/rpc/rpc_frame_reader.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "base/testing/seeded_random.h"
#include "gtest/gtest.h"
#include "quic/codec/varint.h"
#include "quic/rpc/rpc_frame.h"

namespace sluice {
namespace {

using Bytes = std::vector<uint8_t>;
using Frame = std::pair<uint8_t, Bytes>;
using Verdict = RpcFrameReader::Verdict;

void AppendFrame(uint8_t type, const Bytes& payload, Bytes& to) {
  RpcFrameHead head;
  const size_t size = WriteRpcFrameHead(RpcFrameType::kHeader, payload.size(), head);
  head[0] = type;
  to.insert(to.end(), head.begin(), head.begin() + size);
  to.insert(to.end(), payload.begin(), payload.end());
}

// Whole frames, of pieces that come in parts of up to `part` bytes.
std::vector<Frame> ReadAll(RpcFrameReader& reader, absl::Span<const uint8_t> bytes,
                           SeededRandom& random, size_t part) {
  std::vector<Frame> frames;
  bool open = false;
  while (!bytes.empty()) {
    absl::Span<const uint8_t> data =
        bytes.first(std::min<size_t>(bytes.size(), random.Below(part) + 1));
    bytes.remove_prefix(data.size());
    RpcFrameReader::Piece piece;
    while (true) {
      const Verdict verdict = reader.Next(data, piece);
      if (verdict == Verdict::kTooMuchUnknown) return {};
      if (verdict == Verdict::kNeedsMore) break;
      EXPECT_NE(piece.first, open);
      if (piece.first) frames.emplace_back(static_cast<uint8_t>(piece.type), Bytes());
      Bytes& payload = frames.back().second;
      payload.insert(payload.end(), piece.payload.begin(), piece.payload.end());
      EXPECT_LE(payload.size(), piece.length);
      EXPECT_EQ(piece.last, payload.size() == piece.length);
      open = !piece.last;
      EXPECT_EQ(reader.between_frames(), piece.last);
    }
    EXPECT_TRUE(data.empty());
  }
  return frames;
}

TEST(RpcFrameReaderTest, AnySplitOfTheBytesGivesTheSameFrames) {
  const uint64_t seed = SeededRandom::SeedFromEnvOr(31);
  SCOPED_TRACE(absl::StrCat("replay with SLUICE_TEST_SEED=", seed));
  SeededRandom random(seed);
  for (int round = 0; round < 500; ++round) {
    Bytes bytes;
    std::vector<Frame> known;
    for (uint64_t left = random.Below(8); left > 0; --left) {
      const uint8_t type = static_cast<uint8_t>(random.Below(6));
      Bytes payload(random.Below(random.Below(4) == 0 ? 300 : 5));
      random.Fill(absl::MakeSpan(payload));
      AppendFrame(type, payload, bytes);
      if (IsKnownRpcFrameType(type)) known.emplace_back(type, payload);
    }
    RpcFrameReader reader;
    EXPECT_EQ(ReadAll(reader, bytes, random, round % 3 == 0 ? 1 : 200), known);
    EXPECT_TRUE(reader.between_frames());
  }
}

TEST(RpcFrameReaderTest, ALengthMayBeInAnyForm) {
  SeededRandom random(1);
  for (const Bytes& bytes : {Bytes{2, 1, 9}, Bytes{2, 0x40, 1, 9}, Bytes{2, 0x80, 0, 0, 1, 9},
                             Bytes{2, 0xc0, 0, 0, 0, 0, 0, 0, 1, 9}}) {
    RpcFrameReader reader;
    EXPECT_EQ(ReadAll(reader, bytes, random, 3), std::vector<Frame>{Frame(2, {9})});
  }
}

TEST(RpcFrameReaderTest, TheLengthIsToldBeforeThePayloadComes) {
  RpcFrameReader reader;
  RpcFrameReader::Piece piece;
  const Bytes bytes = {3, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff};
  absl::Span<const uint8_t> data = bytes;
  ASSERT_EQ(reader.Next(data, piece), Verdict::kPiece);
  EXPECT_EQ(piece.length, kMaxVarint);
  EXPECT_TRUE(piece.first && !piece.last && piece.payload.empty());
  EXPECT_EQ(reader.Next(data, piece), Verdict::kNeedsMore);
  EXPECT_FALSE(reader.between_frames());
}

TEST(RpcFrameReaderTest, HalfAHeadIsInTheMiddleOfAFrame) {
  RpcFrameReader reader;
  RpcFrameReader::Piece piece;
  EXPECT_TRUE(reader.between_frames());
  const Bytes bytes = {2};
  absl::Span<const uint8_t> data = bytes;
  EXPECT_EQ(reader.Next(data, piece), Verdict::kNeedsMore);
  EXPECT_FALSE(reader.between_frames());
}

TEST(RpcFrameReaderTest, UnknownFramesAreSkippedUpToABound) {
  const size_t kHead = 3;  // Type, and a length of two bytes.
  for (const bool too_much : {false, true}) {
    Bytes bytes;
    AppendFrame(0x21, Bytes(kMaxRpcUnknown / 2 - kHead), bytes);
    AppendFrame(0x00, Bytes(kMaxRpcUnknown / 2 - kHead + too_much), bytes);
    AppendFrame(2, {5}, bytes);
    RpcFrameReader reader;
    RpcFrameReader::Piece piece;
    absl::Span<const uint8_t> data = bytes;
    EXPECT_EQ(reader.Next(data, piece), too_much ? Verdict::kTooMuchUnknown : Verdict::kPiece);
  }
}

TEST(RpcFrameReaderTest, UnknownFramesWithoutPayloadCountToo) {
  Bytes bytes;
  for (size_t i = 0; i < kMaxRpcUnknown / 2 + 1; ++i) AppendFrame(0x42, {}, bytes);
  RpcFrameReader reader;
  RpcFrameReader::Piece piece;
  absl::Span<const uint8_t> data = bytes;
  EXPECT_EQ(reader.Next(data, piece), Verdict::kTooMuchUnknown);
}

TEST(RpcFrameReaderTest, AKnownFrameBeginsTheBoundAnew) {
  Bytes bytes;
  for (int i = 0; i < 5; ++i) {
    AppendFrame(0x42, Bytes(kMaxRpcUnknown - 5), bytes);
    AppendFrame(2, {1}, bytes);
  }
  RpcFrameReader reader;
  SeededRandom random(3);
  EXPECT_EQ(ReadAll(reader, bytes, random, 4000).size(), 5u);
}

TEST(RpcFrameReaderTest, AnEndlessUnknownFrameIsRefusedByItsHead) {
  RpcFrameReader reader;
  RpcFrameReader::Piece piece;
  const Bytes bytes = {0x99, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff};
  absl::Span<const uint8_t> data = bytes;
  EXPECT_EQ(reader.Next(data, piece), Verdict::kTooMuchUnknown);
}

}  // namespace
}  // namespace sluice
