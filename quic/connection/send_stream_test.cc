#include "quic/connection/send_stream.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "base/testing/seeded_random.h"
#include "gtest/gtest.h"
#include "quic/connection/send_share.h"

namespace sluice {
namespace {

using Bytes = std::vector<uint8_t>;

// Nobody waits here.
class Waiter : public SendRoomReceiver {
 public:
  void OnRoom() override {}
};

constexpr size_t kNoLimit = size_t{1} << 30;

// What is unsent, as far as it is shown at once.
Bytes Unsent(const SendStream& stream) {
  std::array<SendStream::Piece, SendStream::kMaxPieces> pieces;
  Bytes bytes;
  for (const SendStream::Piece& piece : absl::MakeConstSpan(pieces).first(stream.Unsent(pieces))) {
    bytes.insert(bytes.end(), piece.data, piece.data + piece.size);
  }
  return bytes;
}

bool FinFollows(const SendStream& stream) {
  std::array<SendStream::Piece, SendStream::kMaxPieces> pieces;
  const size_t count = stream.Unsent(pieces);
  return stream.FinFollows(absl::MakeConstSpan(pieces).first(count));
}

TEST(SendStreamTest, KeepsWhatWasSentUntilItHasArrived) {
  SendStreamPool pool(1, 4);
  Waiter waiter;
  SendShare share(pool.stock(), 1, 4, waiter);
  SendStream* stream = pool.Take(share, 8);
  ASSERT_NE(stream, nullptr);
  EXPECT_EQ(stream->id(), 8);
  EXPECT_EQ(stream->Append(Bytes{1, 2, 3}, kNoLimit), 3u);
  EXPECT_EQ(Unsent(*stream), (Bytes{1, 2, 3}));
  stream->Sent(2, false);
  EXPECT_EQ(Unsent(*stream), Bytes{3});
  EXPECT_EQ(stream->kept(), 3u);
  stream->Acknowledge(1);
  EXPECT_EQ(stream->kept(), 2u);
  // More than was sent cannot have arrived.
  stream->Acknowledge(3);
  EXPECT_EQ(stream->kept(), 1u);
  pool.GiveBack(*stream);
}

TEST(SendStreamTest, TheFinGoesWithTheLastByteOrAlone) {
  SendStreamPool pool(1, 8);
  Waiter waiter;
  SendShare share(pool.stock(), 1, 8, waiter);
  SendStream* stream = pool.Take(share, 0);
  EXPECT_FALSE(stream->HasUnsent());
  stream->Append(Bytes(5 * SendStreamPool::kBlockSize), kNoLimit);
  stream->Finish();
  EXPECT_FALSE(FinFollows(*stream)) << "there is more than is shown at once";
  stream->Sent(4 * SendStreamPool::kBlockSize, false);
  EXPECT_TRUE(FinFollows(*stream));
  stream->Sent(SendStreamPool::kBlockSize, false);
  EXPECT_TRUE(stream->HasUnsent());
  EXPECT_TRUE(FinFollows(*stream));
  stream->Sent(0, true);
  EXPECT_FALSE(stream->HasUnsent());
  pool.GiveBack(*stream);
}

TEST(SendStreamTest, LimitsAreAnAnswerAndACount) {
  SendStreamPool pool(1, 2);
  Waiter waiter;
  SendShare share(pool.stock(), 3, 3, waiter);
  SendStream* stream = pool.Take(share, 0);
  EXPECT_EQ(stream->Append(Bytes(100), 60), 60u);
  EXPECT_TRUE(stream->wants_room);
  stream->wants_room = false;
  EXPECT_EQ(stream->Append(Bytes(5000), kNoLimit), 2 * SendStreamPool::kBlockSize - 60);
  EXPECT_TRUE(stream->wants_room);
  EXPECT_EQ(pool.counters().no_block, 1u);
  EXPECT_EQ(pool.Take(share, 4), nullptr);
  EXPECT_EQ(pool.counters().no_stream, 1u);
  pool.GiveBack(*stream);
}

TEST(SendStreamTest, WhatIsGivenBackIsAsNew) {
  SendStreamPool pool(2, 3);
  Waiter waiter;
  SendShare share(pool.stock(), 2, 3, waiter);
  SendStream* stream = pool.Take(share, 0);
  stream->Append(Bytes(3000), kNoLimit);
  stream->Finish();
  stream->Sent(1000, false);
  stream->blocked = stream->shut = true;
  EXPECT_EQ(pool.free_blocks(), 0u);
  pool.GiveBack(*stream);
  EXPECT_EQ(pool.free_blocks(), 3u);
  EXPECT_EQ(pool.free_streams(), 2u);
  stream = pool.Take(share, 4);
  EXPECT_FALSE(stream->HasUnsent() || stream->blocked || stream->shut);
  EXPECT_EQ(stream->Append(Bytes{7}, kNoLimit), 1u);
  EXPECT_EQ(Unsent(*stream), Bytes{7});
  pool.GiveBack(*stream);
}

TEST(SendStreamTest, AnyOrderOfWritingSendingAndArrivingKeepsTheBytes) {
  SeededRandom random(SeededRandom::SeedFromEnvOr(40));
  SCOPED_TRACE(absl::StrCat("replay with SLUICE_TEST_SEED=", random.seed()));
  SendStreamPool pool(1, 6);
  Waiter waiter;
  SendShare share(pool.stock(), 1, 6, waiter);
  for (int round = 0; round < 200; ++round) {
    SendStream* stream = pool.Take(share, 0);
    ASSERT_NE(stream, nullptr);
    Bytes written;
    size_t sent = 0;
    size_t acked = 0;
    for (int step = 0; step < 200; ++step) {
      switch (random.Below(3)) {
        case 0: {
          Bytes bytes(random.Below(2000));
          random.Fill(absl::MakeSpan(bytes));
          const size_t taken = stream->Append(bytes, 5000);
          written.insert(written.end(), bytes.begin(),
                         bytes.begin() + static_cast<ptrdiff_t>(taken));
          break;
        }
        case 1: {
          const Bytes shown = Unsent(*stream);
          ASSERT_EQ(shown.empty(), sent == written.size());
          ASSERT_EQ(shown, Bytes(written.begin() + static_cast<ptrdiff_t>(sent),
                                 written.begin() + static_cast<ptrdiff_t>(sent + shown.size())));
          const size_t size = random.Below(shown.size() + 1);
          stream->Sent(size, false);
          sent += size;
          break;
        }
        default:
          acked += random.Below(sent - acked + 1);
          stream->Acknowledge(acked);
          break;
      }
      ASSERT_EQ(stream->kept(), written.size() - acked);
    }
    pool.GiveBack(*stream);
    ASSERT_EQ(pool.free_blocks(), 6u);
  }
}

}  // namespace
}  // namespace sluice
