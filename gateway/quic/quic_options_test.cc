#include "gateway/quic/quic_options.h"

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "gateway/config/limits.h"
#include "gtest/gtest.h"
#include "quic/server/endpoint_limits.h"

namespace sluice {
namespace {

TransportAddress At(absl::string_view ip, uint16_t port) {
  return {IpAddress::Parse(ip).value(), port};
}

TEST(QuicOptionsTest, EveryLimitThatCheckLimitsTakesIsOneOfAnEndpoint) {
  for (const bool always_retry : {false, true}) {
    const QuicConfig quic = {.always_retry = always_retry};
    for (const size_t connections :
         {size_t{1}, size_t{2}, Limits{}.quic_connections, size_t{1'000'000}}) {
      for (const size_t other : {size_t{1}, size_t{100}, size_t{1'000'000}}) {
        const Limits limits = {.quic_connections = connections,
                               .quic_connections_per_source = other,
                               .quic_half_open = other};
        ASSERT_EQ(CheckLimits(limits), absl::OkStatus());
        EXPECT_EQ(CheckEndpointLimits(ToEndpointLimits(quic, limits)), absl::OkStatus())
            << connections << " " << other;
      }
    }
  }
}

TEST(QuicOptionsTest, DefaultsForStrangersAreThoseOfAnEndpoint) {
  const EndpointLimits limits = ToEndpointLimits({}, {});
  EXPECT_EQ(limits.max_connections, Limits{}.quic_connections);
  EXPECT_EQ(limits.max_connections_per_source, EndpointLimits{}.max_connections_per_source);
  EXPECT_EQ(limits.max_half_open, EndpointLimits{}.max_half_open);
  EXPECT_EQ(limits.retry_above_half_open, EndpointLimits{}.retry_above_half_open);
  EXPECT_EQ(limits.retry_above_half_open_per_source,
            EndpointLimits{}.retry_above_half_open_per_source);
}

TEST(QuicOptionsTest, RetryAlwaysIsFromTheFirstConnectionOn) {
  const EndpointLimits limits = ToEndpointLimits({.always_retry = true}, {});
  EXPECT_EQ(limits.retry_above_half_open, 0u);
  EXPECT_EQ(limits.retry_above_half_open_per_source, 0u);
}

TEST(QuicOptionsTest, MoreConnectionsHaveLargerPools) {
  EXPECT_GT(QuicPoolBytes(ToEndpointLimits({}, {.quic_connections = 10'000})),
            QuicPoolBytes(ToEndpointLimits({}, {.quic_connections = 1000})));
  EXPECT_GT(QuicPoolBytes(ToEndpointLimits({}, {.quic_connections = 1})), size_t{1} << 20);
}

TEST(QuicOptionsTest, AddressesOfBothFamiliesStayWhatTheyAre) {
  for (const TransportAddress& address :
       {At("192.0.2.1", 7444), At("0.0.0.0", 0), At("2001:db8::1", 65535), At("::", 1)}) {
    EXPECT_EQ(ToTransportAddress(ToUdpAddress(address)), address);
  }
  EXPECT_EQ(ToUdpAddress(At("192.0.2.1", 7444)), UdpAddress::V4({192, 0, 2, 1}, 7444));
}

}  // namespace
}  // namespace sluice
