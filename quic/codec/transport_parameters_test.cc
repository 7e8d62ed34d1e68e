#include "quic/codec/transport_parameters.h"

#include <type_traits>

#include "gtest/gtest.h"

namespace sluice {
namespace {

TEST(TransportParametersTest, AFamilyOfAllZerosIsNotOffered) {
  PreferredAddress address;
  EXPECT_FALSE(address.HasIpv4());
  EXPECT_FALSE(address.HasIpv6());
  address.ipv4_port = 443;
  EXPECT_TRUE(address.HasIpv4());
  address.ipv4_port = 0;
  address.ipv4_address[3] = 1;
  EXPECT_TRUE(address.HasIpv4());
  EXPECT_FALSE(address.HasIpv6());
  address.ipv6_address[15] = 1;
  EXPECT_TRUE(address.HasIpv6());
  address.ipv6_address[15] = 0;
  address.ipv6_port = 443;
  EXPECT_TRUE(address.HasIpv6());
}

// One is kept per connection, and copied.
TEST(TransportParametersTest, AreBytesWithoutPointers) {
  EXPECT_TRUE(std::is_trivially_copyable_v<TransportParameters>);
  EXPECT_LE(sizeof(TransportParameters), 352u);
}

TEST(TransportParametersTest, SayNothingAtFirst) {
  const TransportParameters parameters;
  EXPECT_EQ(parameters, TransportParameters());
  EXPECT_EQ(static_cast<const ConnectionParameters&>(parameters), ConnectionParameters());
  EXPECT_EQ(static_cast<const EndpointParameters&>(parameters), EndpointParameters());
}

}  // namespace
}  // namespace sluice
