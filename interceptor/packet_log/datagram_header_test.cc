#include "interceptor/packet_log/datagram_header.h"

#include <vector>

#include "absl/types/span.h"
#include "base/byte_order.h"
#include "base/testing/hex.h"
#include "gtest/gtest.h"

namespace sluice {
namespace {

using Bytes = std::vector<uint8_t>;

LoggedAddress V4(uint8_t last, uint16_t port) {
  return {.family = LoggedIpFamily::kIpv4, .ip = {192, 0, 2, last}, .port = port};
}
LoggedAddress V6(uint8_t last, uint16_t port) {
  LoggedAddress address = {.family = LoggedIpFamily::kIpv6, .ip = {0x20, 1, 0x0D, 0xB8}};
  address.ip[15] = last;
  address.port = port;
  return address;
}

Bytes Header(const LoggedAddress& from, const LoggedAddress& to, const Bytes& payload,
             size_t payload_size) {
  Bytes out(kMaxDatagramHeaderSize, 0xEE);
  out.resize(WriteDatagramHeader(from, to, payload, payload_size, absl::MakeSpan(out)));
  return out;
}

// Folded ones' complement sum of 16-bit words.
uint16_t Sum(Bytes bytes) {
  if (bytes.size() % 2 != 0) bytes.push_back(0);
  uint32_t sum = 0;
  for (size_t i = 0; i < bytes.size(); i += 2) sum += LoadBe16(&bytes[i]);
  while (sum >> 16 != 0) sum = (sum & 0xFFFF) + (sum >> 16);
  return static_cast<uint16_t>(sum);
}

// A receiver's check: with the checksum in it, all adds up to ones (RFC 768).
uint16_t UdpSum(const Bytes& header, size_t addresses, size_t address_size, const Bytes& payload) {
  Bytes all(header.begin() + static_cast<long>(addresses),
            header.begin() + static_cast<long>(addresses + 2 * address_size));
  const Bytes udp(header.end() - 8, header.end());
  all.insert(all.end(), {0, 17, udp[4], udp[5]});
  all.insert(all.end(), udp.begin(), udp.end());
  all.insert(all.end(), payload.begin(), payload.end());
  return Sum(all);
}

TEST(DatagramHeaderTest, WritesIpv4AndUdp) {
  const Bytes payload = {0x80, 0x60, 0x01};
  const Bytes header = Header(V4(1, 5004), V4(2, 40000), payload, 3);
  EXPECT_EQ(ToHex(header),
            // Version, length 31, no fragment, 64 hops, UDP, checksum, addresses.
            "4500001f0000400040"
            "11b6ca"
            "c0000201"
            "c0000202"
            // Ports, length 11, checksum.
            "138c9c40000b"
            "4aa7");
  EXPECT_EQ(header.size(), DatagramHeaderSize(LoggedIpFamily::kIpv4));
  EXPECT_EQ(Sum(Bytes(header.begin(), header.begin() + 20)), 0xFFFF);
  EXPECT_EQ(UdpSum(header, 12, 4, payload), 0xFFFF);
}

TEST(DatagramHeaderTest, WritesIpv6AndUdp) {
  const Bytes payload = {0x80, 0xC9, 0x00, 0x01};
  const Bytes header = Header(V6(1, 5005), V6(2, 40001), payload, 4);
  EXPECT_EQ(ToHex(absl::MakeConstSpan(header).first(8)), "60000000000c1140");
  EXPECT_EQ(ToHex(absl::MakeConstSpan(header).subspan(8, 16)), "20010db8000000000000000000000001");
  EXPECT_EQ(ToHex(absl::MakeConstSpan(header).subspan(24, 16)), "20010db8000000000000000000000002");
  EXPECT_EQ(ToHex(absl::MakeConstSpan(header).subspan(40, 6)), "138d9c41000c");
  EXPECT_EQ(header.size(), DatagramHeaderSize(LoggedIpFamily::kIpv6));
  EXPECT_EQ(UdpSum(header, 8, 16, payload), 0xFFFF);
}

TEST(DatagramHeaderTest, SaysTheLengthOfPacketsThatWereCutAndNoChecksum) {
  const Bytes front(12, 1);
  const Bytes header = Header(V4(1, 1), V4(2, 2), front, 1200);
  EXPECT_EQ(LoadBe16(&header[2]), 1228);
  EXPECT_EQ(LoadBe16(&header[24]), 1208);
  EXPECT_EQ(LoadBe16(&header[26]), 0);
}

TEST(DatagramHeaderTest, SaysAChecksumOfZeroAsItsOtherForm) {
  // All words but these two are known: the payload that makes the sum 0xFFFF.
  Bytes payload = {0, 0};
  Bytes header = Header(V4(1, 1), V4(2, 2), payload, 2);
  CopyBytes(absl::MakeSpan(payload), absl::MakeConstSpan(header).subspan(26, 2));
  header = Header(V4(1, 1), V4(2, 2), payload, 2);
  EXPECT_EQ(LoadBe16(&header[26]), 0xFFFF);
  EXPECT_EQ(UdpSum(header, 12, 4, payload), 0xFFFF);
}

TEST(DatagramHeaderTest, LengthsThatNoFieldHoldsAreTheLargest) {
  for (const size_t size : {size_t{65507}, size_t{65508}, size_t{65536}, SIZE_MAX - 100}) {
    const Bytes v4 = Header(V4(1, 1), V4(2, 2), {1}, size);
    EXPECT_EQ(LoadBe16(&v4[2]), 65535) << size;
    const Bytes v6 = Header(V6(1, 1), V6(2, 2), {1}, size);
    EXPECT_EQ(LoadBe16(&v6[4]), size == 65507 ? 65515 : size == 65508 ? 65516 : 65535) << size;
  }
  const Bytes whole(70'000, 1);
  EXPECT_EQ(LoadBe16(&Header(V4(1, 1), V4(2, 2), whole, whole.size())[26]), 0);
}

TEST(DatagramHeaderDeathTest, AddressesHaveOneFamily) {
  EXPECT_DEATH(Header(V4(1, 1), V6(2, 2), {}, 0), "family");
}

}  // namespace
}  // namespace sluice
