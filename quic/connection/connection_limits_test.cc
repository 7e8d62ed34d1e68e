#include "quic/connection/connection_limits.h"

#include <ngtcp2/ngtcp2.h>

#include "absl/status/status.h"
#include "base/data_size.h"
#include "base/time_delta.h"
#include "base/timestamp.h"
#include "gtest/gtest.h"
#include "quic/codec/quic_version.h"

namespace sluice {
namespace {

TEST(ConnectionLimitsTest, ThoseThatStandThereAreGood) {
  EXPECT_EQ(CheckConnectionLimits({}), absl::OkStatus());
}

TEST(ConnectionLimitsTest, SaysWhichIsWrong) {
  EXPECT_EQ(CheckConnectionLimits({.handshake_timeout = TimeDelta::Zero()}).message(),
            "handshake_timeout is 0 s, not above 0 up to 60 s");
  EXPECT_EQ(CheckConnectionLimits({.handshake_timeout = TimeDelta::Seconds(61)}).message(),
            "handshake_timeout is 61 s, not above 0 up to 60 s");
  EXPECT_EQ(CheckConnectionLimits({.max_unacknowledged = DataSize::Zero()}).message(),
            "max_unacknowledged is 0 bytes, not 1 byte to 1073741824 bytes");
  EXPECT_EQ(CheckConnectionLimits({.max_unacknowledged_in_all = DataSize::Bytes(65535)}).message(),
            "max_unacknowledged_in_all is 65535 bytes, not 65536 bytes to 1073741824 bytes");
  EXPECT_EQ(CheckConnectionLimits({.max_send_streams = 0}).message(),
            "max_send_streams is 0, not 1 to 1024");
  EXPECT_EQ(CheckConnectionLimits({.max_send_streams = 1025}).message(),
            "max_send_streams is 1025, not 1 to 1024");
  // Below what RFC 9000 section 14 wants everybody to take.
  EXPECT_EQ(CheckConnectionLimits({.max_datagram_size = DataSize::Bytes(1199)}).message(),
            "max_datagram_size is 1199 bytes, not 1200 bytes to 1472 bytes");
  EXPECT_EQ(CheckConnectionLimits({.max_datagram_size = DataSize::Bytes(1473)}).message(),
            "max_datagram_size is 1473 bytes, not 1200 bytes to 1472 bytes");
  EXPECT_EQ(CheckConnectionLimits({.max_stream_window = DataSize::Bytes(-1)}).message(),
            "a window may grow to -1 bytes, at most 1073741824 bytes");
}

TEST(ConnectionLimitsTest, AConnectionMayHaveAQuarterOfAPoolThatOthersNeedToo) {
  const ConnectionLimits large = WithinPool({}, 16384, 32768);
  EXPECT_EQ(large.max_send_streams, 64u);
  EXPECT_EQ(large.max_unacknowledged_in_all, DataSize::Bytes(256 * 1024));
  const ConnectionLimits small = WithinPool({}, 64, 255);
  EXPECT_EQ(small.max_send_streams, 16u);
  EXPECT_EQ(small.max_unacknowledged_in_all, DataSize::Bytes(64 * 1024));
  const ConnectionLimits least = WithinPool({}, 1, 1);
  EXPECT_EQ(least.max_send_streams, 1u);
  EXPECT_EQ(least.max_unacknowledged_in_all, DataSize::Bytes(1024));
}

TEST(ConnectionLimitsTest, Version2IsSpokenOnlyWhereItIsAllowed) {
  EXPECT_TRUE(IsSpoken(kQuicVersion1, {}));
  EXPECT_FALSE(IsSpoken(kQuicVersion2, {}));
  EXPECT_TRUE(IsSpoken(kQuicVersion2, {.version2 = true}));
  EXPECT_FALSE(IsSpoken(QuicVersion(0x1a2a3a4a), {.version2 = true}));
}

TEST(ConnectionLimitsTest, Ngtcp2IsToldAllOfThem) {
  ConnectionLimits limits;
  limits.handshake_timeout = TimeDelta::Seconds(3);
  limits.max_datagram_size = DataSize::Bytes(1300);
  limits.discover_path_mtu = false;
  limits.max_connection_window = DataSize::Bytes(7);
  limits.max_stream_window = DataSize::Bytes(5);
  const ngtcp2_settings settings = SettingsOf(limits, Timestamp::Millis(2));
  EXPECT_EQ(settings.initial_ts, 2'000'000u);
  EXPECT_EQ(settings.handshake_timeout, 3'000'000'000u);
  EXPECT_EQ(settings.max_tx_udp_payload_size, 1300u);
  EXPECT_EQ(settings.no_pmtud, 1);
  EXPECT_EQ(settings.max_window, 7u);
  EXPECT_EQ(settings.max_stream_window, 5u);
  ASSERT_EQ(settings.available_versionslen, 1u);
  EXPECT_EQ(settings.available_versions[0], NGTCP2_PROTO_VER_V1);
  limits.version2 = true;
  EXPECT_EQ(SettingsOf(limits, Timestamp::Zero()).available_versionslen, 2u);
}

}  // namespace
}  // namespace sluice
