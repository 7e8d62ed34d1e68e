#include "quic/connection/send_limits.h"

#include <cstdint>

#include "base/data_size.h"
#include "gtest/gtest.h"
#include "quic/codec/transport_parameters.h"
#include "quic/connection/connection_limits.h"
#include "quic/connection/send_streams.h"

namespace sluice {
namespace {

SendStreams::Limits Of(int64_t bytes, uint64_t peers_streams) {
  EndpointParameters parameters;
  parameters.initial_max_streams_bidi = peers_streams;
  return SendLimitsOf({.max_unacknowledged_in_all = DataSize::Bytes(bytes), .max_send_streams = 3},
                      parameters);
}

TEST(SendLimitsTest, BytesAreWholeBlocks) {
  EXPECT_EQ(Of(1, 0).blocks, 1u);
  EXPECT_EQ(Of(1024, 0).blocks, 1u);
  EXPECT_EQ(Of(1025, 0).blocks, 2u);
  EXPECT_EQ(Of(1, 0).streams, 3u);
}

TEST(SendLimitsTest, AllStreamsOfThePeersMayWaitUpToABound) {
  EXPECT_EQ(Of(1, 0).waiting, 32u);
  EXPECT_EQ(Of(1, 16).waiting, 48u);
  EXPECT_EQ(Of(1, uint64_t{1} << 60).waiting, 1056u);
}

}  // namespace
}  // namespace sluice
