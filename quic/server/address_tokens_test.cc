#include "quic/server/address_tokens.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "base/testing/seeded_random.h"
#include "base/time_delta.h"
#include "base/timestamp.h"
#include "gtest/gtest.h"
#include "quic/codec/connection_id.h"
#include "quic/connection/udp_path.h"

namespace sluice {
namespace {

using Bytes = std::vector<uint8_t>;
using Kind = AddressTokens::Kind;

class AddressTokensTest : public testing::Test {
 protected:
  Bytes Retry() {
    Bytes out(AddressTokens::kMaxSize);
    out.resize(tokens_.WriteRetry(now_, client_, retry_, original_, absl::MakeSpan(out)));
    return out;
  }
  Bytes NewToken() {
    Bytes out(AddressTokens::kMaxSize);
    out.resize(tokens_.WriteNewToken(now_, client_, absl::MakeSpan(out)));
    return out;
  }
  Kind Read(const Bytes& token, const UdpAddress& client, const ConnectionId& destination) {
    return tokens_.Read(now_, client, destination, token).kind;
  }

  SeededRandom random_{62};
  Timestamp now_ = Timestamp::Seconds(100);
  AddressTokens tokens_{now_, random_};
  const UdpAddress client_ = UdpAddress::V4({192, 0, 2, 1}, 1000);
  const UdpAddress other_port_ = UdpAddress::V4({192, 0, 2, 1}, 1001);
  const UdpAddress other_host_ = UdpAddress::V4({192, 0, 2, 2}, 1000);
  const ConnectionId retry_{std::array<uint8_t, 16>{1}};
  const ConnectionId original_{std::array<uint8_t, 20>{2}};
};

TEST_F(AddressTokensTest, ARetryTokenBringsBackWhatTheClientFirstSaid) {
  const Bytes token = Retry();
  EXPECT_EQ(token.size(), AddressTokens::kMaxSize - 1);
  const AddressTokens::Reading reading = tokens_.Read(now_, client_, retry_, token);
  EXPECT_EQ(reading.kind, Kind::kRetry);
  EXPECT_EQ(reading.original_destination, original_);
}

TEST_F(AddressTokensTest, ARetryTokenIsForOneAddressOneAttemptAndTenSeconds) {
  const Bytes token = Retry();
  EXPECT_EQ(Read(token, other_port_, retry_), Kind::kBadRetry);
  EXPECT_EQ(Read(token, other_host_, retry_), Kind::kBadRetry);
  EXPECT_EQ(Read(token, client_, original_), Kind::kBadRetry);
  now_ += TimeDelta::Seconds(10);
  EXPECT_EQ(Read(token, client_, retry_), Kind::kRetry);
  now_ += TimeDelta::Micros(1);
  EXPECT_EQ(Read(token, client_, retry_), Kind::kBadRetry);
}

TEST_F(AddressTokensTest, ANewTokenIsForOneHostAndSixHours) {
  const Bytes token = NewToken();
  EXPECT_EQ(Read(token, other_port_, original_), Kind::kNewToken);
  EXPECT_EQ(Read(token, other_host_, original_), Kind::kNone);
  now_ += AddressTokens::kNewTokenLifetime;
  EXPECT_EQ(Read(token, client_, original_), Kind::kNewToken);
  now_ += TimeDelta::Micros(1);
  EXPECT_EQ(Read(token, client_, original_), Kind::kNone);
}

TEST_F(AddressTokensTest, NeitherIsTakenForTheOther) {
  Bytes retry = Retry();
  Bytes fresh = NewToken();
  std::swap(retry[0], fresh[0]);
  EXPECT_EQ(Read(retry, client_, retry_), Kind::kNone);
  EXPECT_EQ(Read(fresh, client_, retry_), Kind::kBadRetry);
}

TEST_F(AddressTokensTest, AnythingElseProvesNothing) {
  EXPECT_EQ(Read({}, client_, retry_), Kind::kNone);
  Bytes token = Retry();
  for (size_t size = 1; size < token.size(); ++size) {
    EXPECT_EQ(
        Read(Bytes(token.begin(), token.begin() + static_cast<ptrdiff_t>(size)), client_, retry_),
        Kind::kBadRetry);
  }
  for (int i = 0; i < 1000; ++i) {
    Bytes junk(random_.Below(200));
    random_.Fill(absl::MakeSpan(junk));
    const Kind kind = Read(junk, client_, retry_);
    EXPECT_TRUE(kind == Kind::kNone || kind == Kind::kBadRetry);
  }
  EXPECT_EQ(Read(Bytes(3000, 0x52), client_, retry_), Kind::kBadRetry);
}

}  // namespace
}  // namespace sluice
