#include "gateway/io/media_port_pool.h"

#include <atomic>
#include <optional>
#include <set>
#include <thread>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "gateway/errors/error_detail.h"
#include "gateway/io/testing/free_ports.h"
#include "gateway/io/testing/loopback.h"
#include "gateway/io/testing/open_descriptors.h"
#include "gateway/io/udp_socket.h"
#include "gateway/net/transport_address.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace sluice {
namespace {

using testing::HasSubstr;

MediaPortPoolOptions OptionsFor(const PortRange& range) {
  MediaPortPoolOptions options;
  options.first_port = range.first;
  options.last_port = range.last;
  options.ipv4 = Loopback(IpFamily::kIpv4);
  options.ipv6 = Loopback(IpFamily::kIpv6);
  return options;
}

std::vector<UdpSocket> Occupy(const PortRange& range, int first_offset) {
  std::vector<UdpSocket> sockets;
  for (int port = range.first + first_offset; port <= range.last; port += 2) {
    sockets.push_back(
        UdpSocket::Open({Loopback(IpFamily::kIpv4), static_cast<uint16_t>(port)}).value());
  }
  return sockets;
}

class MediaPortPoolTest : public testing::TestWithParam<IpFamily> {};

INSTANTIATE_TEST_SUITE_P(Families, MediaPortPoolTest,
                         testing::Values(IpFamily::kIpv4, IpFamily::kIpv6));

TEST_P(MediaPortPoolTest, BindsAnEvenPortAndTheOddOneAbove) {
  const PortRange range = FindFreePorts(4);
  const auto pool = MediaPortPool::Create(OptionsFor(range)).value();
  absl::StatusOr<MediaSockets> sockets = pool->Bind(GetParam(), /*rtcp_mux=*/false);
  ASSERT_TRUE(sockets.ok()) << sockets.status();
  ASSERT_NE(sockets->rtcp(), nullptr);
  EXPECT_EQ(sockets->rtp().local_address().ip, Loopback(GetParam()));
  EXPECT_EQ(sockets->rtp().local_address().port % 2, 0);
  EXPECT_EQ(sockets->rtcp()->local_address().port, sockets->rtp().local_address().port + 1);
  EXPECT_EQ(sockets->advertised_rtp(), sockets->rtp().local_address());
  EXPECT_EQ(sockets->advertised_rtcp(), sockets->rtcp()->local_address());
}

TEST_P(MediaPortPoolTest, WithRtcpMuxOneSocketIsBoth) {
  const PortRange range = FindFreePorts(4);
  const auto pool = MediaPortPool::Create(OptionsFor(range)).value();
  absl::StatusOr<MediaSockets> sockets = pool->Bind(GetParam(), /*rtcp_mux=*/true);
  ASSERT_TRUE(sockets.ok()) << sockets.status();
  EXPECT_EQ(sockets->rtcp(), nullptr);
  EXPECT_EQ(sockets->rtp().local_address().port % 2, 0);
  EXPECT_EQ(sockets->advertised_rtcp(), sockets->advertised_rtp());
  EXPECT_EQ(pool->used(), 1u);
}

TEST_P(MediaPortPoolTest, RefusesWhenAllAreTakenAndGoesOnWhenOneComesBack) {
  const PortRange range = FindFreePorts(3);
  const auto pool = MediaPortPool::Create(OptionsFor(range)).value();
  EXPECT_EQ(pool->capacity(), 6u);
  std::vector<MediaSockets> held;
  for (int i = 0; i < 3; ++i) held.push_back(pool->Bind(GetParam(), i == 1).value());
  EXPECT_EQ(pool->used(), 3u);

  const absl::Status full = pool->Bind(GetParam(), true).status();
  EXPECT_EQ(full.code(), absl::StatusCode::kResourceExhausted);
  ASSERT_TRUE(GetErrorDetail(full).has_value());
  EXPECT_EQ(GetErrorDetail(full)->kind, ErrorDetail::Kind::kLimit);
  EXPECT_EQ(GetErrorDetail(full)->subject, "media_ports");
  EXPECT_EQ(pool->refused(), 1u);

  const TransportAddress freed = held[1].advertised_rtp();
  held.erase(held.begin() + 1);
  EXPECT_EQ(pool->used(), 2u);
  EXPECT_EQ(pool->Bind(GetParam(), false).value().advertised_rtp(), freed);
  held.clear();
  EXPECT_EQ(pool->used(), 0u);
}

TEST(MediaPortPoolOptionsTest, SocketsMayOutliveThePool) {
  auto pool = MediaPortPool::Create(OptionsFor(FindFreePorts(1))).value();
  std::optional<MediaSockets> sockets = pool->Bind(IpFamily::kIpv4, false).value();
  pool.reset();
  const TransportAddress address = sockets->rtp().local_address();
  EXPECT_FALSE(UdpSocket::Open(address).ok());
  sockets.reset();
  EXPECT_TRUE(UdpSocket::Open(address).ok());
}

TEST(MediaPortPoolOptionsTest, PassesOverPairsThatOthersHold) {
  const PortRange range = FindFreePorts(3);
  const auto pool = MediaPortPool::Create(OptionsFor(range)).value();
  const UdpSocket even = UdpSocket::Open({Loopback(IpFamily::kIpv4), range.first}).value();
  const UdpSocket odd =
      UdpSocket::Open({Loopback(IpFamily::kIpv4), static_cast<uint16_t>(range.first + 3)}).value();
  absl::StatusOr<MediaSockets> only = pool->Bind(IpFamily::kIpv4, false);
  ASSERT_TRUE(only.ok()) << only.status();
  EXPECT_EQ(only->advertised_rtp().port, range.first + 4);
  EXPECT_EQ(pool->used(), 1u);
  // With rtcp-mux the odd port does not matter.
  absl::StatusOr<MediaSockets> mux = pool->Bind(IpFamily::kIpv4, true);
  ASSERT_TRUE(mux.ok()) << mux.status();
  EXPECT_EQ(mux->advertised_rtp().port, range.first + 2);
  // What is busy for one family is free for the other.
  EXPECT_EQ(pool->Bind(IpFamily::kIpv6, false).value().advertised_rtp().port, range.first);
}

TEST(MediaPortPoolOptionsTest, TenThousandRefusalsForBusyOddPortsLeaveNothingBehind) {
  constexpr size_t kPairs = 4;
  const PortRange range = FindFreePorts(kPairs);
  const auto pool = MediaPortPool::Create(OptionsFor(range)).value();
  const std::vector<UdpSocket> odd = Occupy(range, 1);
  const size_t before = CountOpenDescriptors();
  for (int i = 0; i < 10'000; ++i) {
    ASSERT_EQ(pool->Bind(IpFamily::kIpv4, false).status().code(),
              absl::StatusCode::kResourceExhausted);
  }
  EXPECT_EQ(CountOpenDescriptors(), before);
  EXPECT_EQ(pool->used(), 0u);
  EXPECT_EQ(pool->refused(), 10'000u);
}

TEST(MediaPortPoolOptionsTest, TenThousandAllocationsBesideBusyOddPortsKeepTheDescriptorCount) {
  constexpr size_t kPairs = 16;
  const PortRange range = FindFreePorts(kPairs);
  const auto pool = MediaPortPool::Create(OptionsFor(range)).value();
  std::vector<UdpSocket> odd = Occupy(range, 1);
  // The last pair is the only one that works.
  odd.pop_back();
  const size_t before = CountOpenDescriptors();
  for (int i = 0; i < 10'000; ++i) {
    absl::StatusOr<MediaSockets> sockets = pool->Bind(IpFamily::kIpv4, false);
    ASSERT_TRUE(sockets.ok()) << sockets.status();
    ASSERT_EQ(sockets->advertised_rtcp().port, range.last);
    ASSERT_EQ(CountOpenDescriptors(), before + 2);
  }
  EXPECT_EQ(CountOpenDescriptors(), before);
  EXPECT_EQ(pool->used(), 0u);
}

TEST(MediaPortPoolOptionsTest, ThreadsNeverGetOnePortTwice) {
  const PortRange range = FindFreePorts(12);
  const auto pool = MediaPortPool::Create(OptionsFor(range)).value();
  const size_t before = CountOpenDescriptors();
  std::atomic<int> failures{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 500; ++i) {
        const IpFamily family = (i + t) % 2 == 0 ? IpFamily::kIpv4 : IpFamily::kIpv6;
        absl::StatusOr<MediaSockets> a = pool->Bind(family, i % 3 == 0);
        absl::StatusOr<MediaSockets> b = pool->Bind(family, i % 5 == 0);
        if (!a.ok() || !b.ok() || a->advertised_rtp() == b->advertised_rtp()) ++failures;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(failures, 0);
  EXPECT_EQ(pool->used(), 0u);
  EXPECT_EQ(CountOpenDescriptors(), before);
}

TEST(MediaPortPoolOptionsTest, TellsPeersTheAdvertisedAddress) {
  MediaPortPoolOptions options = OptionsFor(FindFreePorts(1));
  options.advertised_ipv4 = IpAddress::V4({203, 0, 113, 7});
  const auto pool = MediaPortPool::Create(options).value();
  MediaSockets sockets = pool->Bind(IpFamily::kIpv4, false).value();
  EXPECT_EQ(sockets.advertised_rtp(),
            (TransportAddress{*options.advertised_ipv4, sockets.rtp().local_address().port}));
  EXPECT_EQ(sockets.advertised_rtcp(),
            (TransportAddress{*options.advertised_ipv4, sockets.rtcp()->local_address().port}));
}

TEST(MediaPortPoolOptionsTest, RefusesAFamilyThatIsNotOffered) {
  MediaPortPoolOptions options = OptionsFor(FindFreePorts(2));
  options.ipv6 = std::nullopt;
  const auto pool = MediaPortPool::Create(options).value();
  EXPECT_EQ(pool->capacity(), 2u);
  const absl::Status status = pool->Bind(IpFamily::kIpv6, true).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(status.message(), HasSubstr("ipv6"));
  EXPECT_EQ(pool->refused(), 0u);
}

TEST(MediaPortPoolOptionsTest, CountsThePairsThatFit) {
  const PortRange range = FindFreePorts(4);
  MediaPortPoolOptions options = OptionsFor(range);
  options.ipv6 = std::nullopt;
  options.first_port = static_cast<uint16_t>(range.first + 1);
  EXPECT_EQ(MediaPortPool::Create(options).value()->capacity(), 3u);
  options.last_port = static_cast<uint16_t>(range.last - 1);
  EXPECT_EQ(MediaPortPool::Create(options).value()->capacity(), 2u);
  options.first_port = 65534;
  options.last_port = 65535;
  EXPECT_EQ(MediaPortPool::Create(options).value()->capacity(), 1u);
}

TEST(MediaPortPoolOptionsTest, SaysWhatIsWrongWithTheOptions) {
  const MediaPortPoolOptions good = OptionsFor(FindFreePorts(2));
  const auto refusal = [](const MediaPortPoolOptions& options) {
    const absl::Status status = MediaPortPool::Create(options).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
    return std::string(status.message());
  };
  MediaPortPoolOptions options = good;
  options.last_port = static_cast<uint16_t>(options.first_port - 2);
  EXPECT_THAT(refusal(options), HasSubstr("hold no even port"));
  options.last_port = options.first_port;
  EXPECT_THAT(refusal(options), HasSubstr("hold no even port"));
  options.first_port = 65535;
  options.last_port = 65535;
  EXPECT_THAT(refusal(options), HasSubstr("hold no even port"));
  options.first_port = 0;
  EXPECT_THAT(refusal(options), HasSubstr("hold no even port"));

  options = good;
  options.ipv4 = std::nullopt;
  options.ipv6 = std::nullopt;
  EXPECT_THAT(refusal(options), HasSubstr("neither"));

  options = good;
  options.ipv4 = options.ipv6;
  EXPECT_THAT(refusal(options), HasSubstr("is not ipv4"));

  options = good;
  options.ipv4 = IpAddress::V4({192, 0, 2, 1});
  EXPECT_THAT(refusal(options), HasSubstr("192.0.2.1"));

  options = good;
  options.ipv4 = IpAddress();
  EXPECT_THAT(refusal(options), HasSubstr("advertise"));
  options.advertised_ipv4 = IpAddress::V4({203, 0, 113, 7});
  EXPECT_TRUE(MediaPortPool::Create(options).ok());
}

}  // namespace
}  // namespace sluice
