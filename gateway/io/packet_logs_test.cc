#include "gateway/io/packet_logs.h"

#include <sys/stat.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "base/timestamp.h"
#include "gateway/errors/error_detail.h"
#include "gateway/net/transport_address.h"
#include "gtest/gtest.h"
#include "interceptor/packet_log/packet_log_ring.h"
#include "interceptor/stream_info.h"
#include "srtp/packet_kind.h"

namespace sluice {
namespace {

class PacketLogsTest : public testing::Test {
 protected:
  PacketLogsTest()
      : folder_(absl::StrCat(testing::TempDir(), "/",
                             testing::UnitTest::GetInstance()->current_test_info()->name())) {
    EXPECT_TRUE(std::filesystem::create_directory(folder_));
  }
  ~PacketLogsTest() override { std::filesystem::remove_all(folder_); }

  std::unique_ptr<PacketLogs> Make(size_t max_logs = 2) {
    auto logs = PacketLogs::Create({.folder = folder_, .max_logs = max_logs});
    EXPECT_TRUE(logs.ok()) << logs.status();
    return *std::move(logs);
  }
  static LoggedLeg Leg(absl::string_view leg_id) {
    const TransportAddress address = {IpAddress::V4({192, 0, 2, 1}), 5004};
    return {"call", leg_id, address, address, address, address};
  }
  static void Push(PacketLogRing& ring) {
    const std::vector<uint8_t> packet = {0x80, 96, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1, 1, 2, 3, 4};
    EXPECT_TRUE(
        ring.Push(Timestamp::Seconds(1), PacketDirection::kIncoming, PacketKind::kRtp, packet));
  }
  size_t Size(const std::string& name) const {
    return std::filesystem::file_size(absl::StrCat(folder_, "/", name));
  }

  std::string folder_;
};

TEST_F(PacketLogsTest, AFolderThatCannotBeWrittenToIsAnErrorThatNamesIt) {
  const auto logs = PacketLogs::Create({.folder = "/nowhere/at/all"});
  EXPECT_EQ(logs.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_NE(logs.status().message().find("/nowhere/at/all"), std::string::npos);
}

TEST_F(PacketLogsTest, WhatWasPushedIsInAFileOfTheLegsNameThatOnlyTheOwnerReads) {
  auto logs = Make();
  const absl::StatusOr<PacketLogRing*> ring = logs->Open(Leg("a"));
  ASSERT_TRUE(ring.ok()) << ring.status();
  const size_t empty = Size("call.a.pcapng");
  Push(**ring);
  (*ring)->Close();
  logs.reset();
  EXPECT_GT(Size("call.a.pcapng"), empty);
  struct stat status {};
  ASSERT_EQ(stat(absl::StrCat(folder_, "/call.a.pcapng").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600u);
}

TEST_F(PacketLogsTest, ALegThatComesBackHasAFileOfItsOwn) {
  auto logs = Make();
  const absl::StatusOr<PacketLogRing*> first = logs->Open(Leg("a"));
  ASSERT_TRUE(first.ok());
  (*first)->Close();
  const absl::StatusOr<PacketLogRing*> second = logs->Open(Leg("a"));
  ASSERT_TRUE(second.ok());
  EXPECT_TRUE(std::filesystem::exists(folder_ + "/call.a.pcapng"));
  EXPECT_TRUE(std::filesystem::exists(folder_ + "/call.a.2.pcapng"));
  logs->Abandon(*second);
}

TEST_F(PacketLogsTest, MoreThanTheLimitAreRefusedAndThoseThatEndedMakeRoom) {
  auto logs = Make(1);
  const absl::StatusOr<PacketLogRing*> first = logs->Open(Leg("a"));
  ASSERT_TRUE(first.ok());
  const absl::Status refused = logs->Open(Leg("b")).status();
  EXPECT_EQ(refused.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(GetErrorDetail(refused)->subject, "packet_logs");
  EXPECT_EQ(logs->refused(), 1u);
  EXPECT_FALSE(std::filesystem::exists(folder_ + "/call.b.pcapng"));
  Push(**first);
  logs->Abandon(*first);
  const absl::StatusOr<PacketLogRing*> second = logs->Open(Leg("b"));
  EXPECT_TRUE(second.ok()) << second.status();
  EXPECT_EQ(logs->open(), 1u);
}

TEST_F(PacketLogsTest, OneLogIsNoLargerThanWhatIsCountedForIt) {
  EXPECT_GT(PacketLogs::MemorySize(), 512u * 1024);
  EXPECT_LT(PacketLogs::MemorySize(), 2048u * 1024);
}

}  // namespace
}  // namespace sluice
