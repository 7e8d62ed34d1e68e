#include "quic/codec/parameter_writer.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/data_size.h"
#include "base/testing/hex.h"
#include "base/time_delta.h"
#include "gtest/gtest.h"
#include "quic/codec/connection_id.h"
#include "quic/codec/grease_parameter.h"
#include "quic/codec/transport_parameter_table.h"
#include "quic/codec/transport_parameters.h"

namespace sluice {
namespace {

template <ParameterSet kRows, typename Parameters>
std::vector<uint8_t> Written(const Parameters& parameters) {
  std::array<uint8_t, 512> buffer;
  buffer.fill(0xEE);
  uint8_t* const end = WriteParameters<kRows>(buffer.data(), parameters);
  return {buffer.data(), end};
}

constexpr ParameterSet Only(uint64_t id) { return ParameterSet{1} << TransportParameterIndex(id); }

TEST(ParameterWriterTest, KnowsHowLongEachRowCanBe) {
  const auto size_max = [](uint64_t id) { return ParameterSizeMax(*FindTransportParameter(id)); };
  EXPECT_EQ(size_max(0x00), 2u + 20);
  EXPECT_EQ(size_max(0x02), 2u + 16);
  EXPECT_EQ(size_max(0x04), 2u + 8);
  EXPECT_EQ(size_max(0x0a), 2u + 1);
  EXPECT_EQ(size_max(0x0b), 2u + 2);
  EXPECT_EQ(size_max(0x0c), 2u);
  // RFC 9000 section 18.2: 4 + 2 + 16 + 2 + 1 + 20 + 16.
  EXPECT_EQ(size_max(0x0d), 2u + 61);
  EXPECT_EQ(size_max(0x11), 2u + 4 + 8 * 4);
  EXPECT_EQ(size_max(0x2ab2), 3u);
  EXPECT_EQ(SizeMax(Only(0x04) | Only(0x0c)), 12u);
}

TEST(ParameterWriterTest, WritesTheRowsThatAreAskedFor) {
  TransportParameters parameters;
  parameters.initial_max_data = DataSize::Bytes(5);
  parameters.max_ack_delay = TimeDelta::Millis(1);
  parameters.initial_source_connection_id = ConnectionId(HexBytes("aabb"));
  parameters.grease_quic_bit = true;
  EXPECT_EQ(Written<Only(0x04)>(parameters), HexBytes("040105"));
  EXPECT_EQ((Written<Only(0x0b) | Only(0x0f)>(parameters)), HexBytes("0b0101 0f02aabb"));
  EXPECT_EQ(Written<Only(0x2ab2)>(parameters), HexBytes("6ab200"));
  EXPECT_EQ(Written<Only(0x05)>(parameters), HexBytes(""));
}

TEST(ParameterWriterTest, APartHasTheRowsThatItHas) {
  ConnectionParameters connection;
  connection.initial_source_connection_id = ConnectionId(HexBytes("cc"));
  EXPECT_EQ(Written<Only(0x0f)>(connection), HexBytes("0f01cc"));
  EndpointParameters endpoint;
  endpoint.initial_max_streams_uni = 3;
  EXPECT_EQ(Written<Only(0x09)>(endpoint), HexBytes("090103"));
}

TEST(ParameterWriterTest, GreaseHasIdsOfAllSizes) {
  GreaseParameter grease;
  grease.id = 31 * 1000 + 27;
  grease.value_size = 3;
  grease.value = {1, 2, 3};
  std::array<uint8_t, kGreaseSizeMax> buffer;
  uint8_t* end = WriteGrease(buffer.data(), grease);
  EXPECT_EQ(std::vector<uint8_t>(buffer.data(), end), HexBytes("80007933 03 010203"));
  grease.id = 31 * ((uint64_t{1} << 57) - 1) + 27;
  grease.value_size = GreaseParameter::kMaxValueSize;
  end = WriteGrease(buffer.data(), grease);
  EXPECT_EQ(end, buffer.data() + kGreaseSizeMax);
}

}  // namespace
}  // namespace sluice
