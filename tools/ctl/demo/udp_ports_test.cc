#include "tools/ctl/demo/udp_ports.h"

#include <unistd.h>

#include <set>
#include <utility>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace sluice {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(UdpPortsTest, APairIsEvenAndOddAndOurs) {
  for (const char* ip : {"127.0.0.1", "::1"}) {
    auto pair = PortPair::Reserve(ip);
    ASSERT_TRUE(pair.ok()) << pair.status();
    EXPECT_EQ(pair->rtp() % 2, 0);
    EXPECT_EQ(pair->rtcp(), pair->rtp() + 1);
    EXPECT_TRUE(HasUdpPort(getpid(), pair->rtp()));
    EXPECT_TRUE(HasUdpPort(getpid(), pair->rtcp()));
    pair->Release();
    EXPECT_FALSE(HasUdpPort(getpid(), pair->rtp()));
    EXPECT_FALSE(HasUdpPort(getpid(), pair->rtcp()));
  }
}

TEST(UdpPortsTest, PairsDoNotOverlap) {
  std::vector<PortPair> pairs;
  std::set<uint16_t> ports;
  for (int i = 0; i < 50; ++i) {
    auto pair = PortPair::Reserve("127.0.0.1");
    ASSERT_TRUE(pair.ok()) << pair.status();
    ports.insert(pair->rtp());
    pairs.push_back(*std::move(pair));
  }
  EXPECT_EQ(ports.size(), 50u);
}

TEST(UdpPortsTest, AnotherProcessHasThemNot) {
  const auto pair = PortPair::Reserve("127.0.0.1");
  ASSERT_TRUE(pair.ok());
  EXPECT_FALSE(HasUdpPort(getppid(), pair->rtp()));
}

TEST(UdpPortsTest, SaysWhichAddressHasNone) {
  EXPECT_THAT(std::string(PortPair::Reserve("192.0.2.1").status().message()),
              HasSubstr("192.0.2.1"));
  EXPECT_FALSE(PortPair::Reserve("localhost").ok());
}

TEST(UdpPortsTest, ReadsTheKernelsTable) {
  constexpr char kTable[] =
      "   sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout "
      "inode ref pointer drops\n"
      "14203: 0100007F:A028 00000000:0000 07 00000000:00000000 00:00000000 00000000     0        0 "
      "121280 2 00000000276cd463 0\n"
      "14204: 00000000:A028 00000000:0000 07 00000000:00000000 00:00000000 00000000     0        0 "
      "121281 2 00000000103fcded 0\n"
      "14205: 0100007F:A029 00000000:0000 07 00000000:00000000 00:00000000 00000000     0        0 "
      "121282 2 00000000103fcded 0\n"
      "garbage\n";
  EXPECT_THAT(SocketInodes(kTable, 0xA028), ElementsAre(121280, 121281));
  EXPECT_THAT(SocketInodes(kTable, 0xA029), ElementsAre(121282));
  EXPECT_THAT(SocketInodes(kTable, 1), IsEmpty());
  EXPECT_THAT(SocketInodes("", 0xA028), IsEmpty());
}

}  // namespace
}  // namespace sluice
