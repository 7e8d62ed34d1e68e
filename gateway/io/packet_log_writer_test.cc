#include "gateway/io/packet_log_writer.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/cleanup/cleanup.h"
#include "absl/status/status.h"
#include "base/byte_order.h"
#include "base/data_size.h"
#include "base/timestamp.h"
#include "gateway/io/testing/open_descriptors.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "interceptor/stream_info.h"
#include "srtp/packet_kind.h"

namespace sluice {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Bytes = std::vector<uint8_t>;

constexpr auto kIn = PacketDirection::kIncoming;
constexpr auto kOut = PacketDirection::kOutgoing;
constexpr uint32_t kPacketBlock = 6;
constexpr uint32_t kStatisticsBlock = 5;

class PacketLogWriterTest : public ::testing::Test {
 protected:
  PacketLogWriterTest()
      : folder_(absl::StrCat(::testing::TempDir(), "/",
                             ::testing::UnitTest::GetInstance()->current_test_info()->name())) {
    EXPECT_TRUE(std::filesystem::create_directory(folder_));
    options_.path = folder_ + "/leg.pcapng";
  }
  ~PacketLogWriterTest() override { std::filesystem::remove_all(folder_); }

  std::unique_ptr<PacketLogWriter> Writer() {
    auto writer = PacketLogWriter::Create(options_);
    EXPECT_TRUE(writer.ok()) << writer.status();
    return *std::move(writer);
  }
  Bytes File() const {
    std::ifstream file(options_.path, std::ios::binary);
    return Bytes(std::istreambuf_iterator<char>(file), {});
  }
  // Types of the blocks behind the three of the header; fails when the file is not whole.
  std::vector<uint32_t> Blocks() const {
    const Bytes file = File();
    std::vector<uint32_t> types;
    size_t at = 0;
    while (at + 12 <= file.size()) {
      const size_t size = LoadBe32(&file[at + 4]);
      if (size < 12 || size > file.size() - at) break;
      EXPECT_EQ(LoadBe32(&file[at + size - 4]), size);
      types.push_back(LoadBe32(&file[at]));
      at += size;
    }
    EXPECT_EQ(at, file.size()) << "ends in the middle of a block";
    EXPECT_GE(types.size(), 3u);
    return std::vector<uint32_t>(types.begin() + 3, types.end());
  }
  static bool Push(PacketLogWriter& writer, PacketDirection direction, size_t size) {
    return writer.ring().Push(Timestamp::Seconds(1), direction, PacketKind::kRtp, Bytes(size, 7));
  }

  std::string folder_;
  PacketLogWriterOptions options_;
};

TEST_F(PacketLogWriterTest, WritesPacketsAndThenTheCounts) {
  const std::unique_ptr<PacketLogWriter> writer = Writer();
  EXPECT_TRUE(Blocks().empty()) << "readable from the beginning";
  EXPECT_TRUE(Push(*writer, kIn, 100));
  EXPECT_TRUE(Push(*writer, kOut, 200));
  EXPECT_TRUE(writer->Drain().ok());
  EXPECT_THAT(Blocks(), ElementsAre(kPacketBlock, kPacketBlock));
  EXPECT_TRUE(Push(*writer, kIn, 100));
  EXPECT_FALSE(writer->ended());
  writer->ring().Close();
  EXPECT_FALSE(writer->ended()) << "a packet is still there";
  EXPECT_TRUE(writer->Drain().ok());
  EXPECT_TRUE(writer->ended());
  EXPECT_TRUE(writer->Finish(Timestamp::Seconds(2)).ok());
  EXPECT_THAT(Blocks(), ElementsAre(kPacketBlock, kPacketBlock, kPacketBlock, kStatisticsBlock,
                                    kStatisticsBlock));
  EXPECT_THAT(writer->counters().written, ElementsAre(2, 1));
  EXPECT_EQ(writer->size(), DataSize::Bytes(static_cast<int64_t>(File().size())));
  // Twice is once.
  EXPECT_TRUE(writer->Finish(Timestamp::Seconds(3)).ok());
  EXPECT_EQ(Blocks().size(), 5u);
}

TEST_F(PacketLogWriterTest, FinishWritesWhatIsStillInTheRing) {
  const std::unique_ptr<PacketLogWriter> writer = Writer();
  EXPECT_TRUE(Push(*writer, kIn, 100));
  writer->ring().Close();
  EXPECT_TRUE(writer->Finish(Timestamp::Seconds(2)).ok());
  EXPECT_THAT(Blocks(), ElementsAre(kPacketBlock, kStatisticsBlock, kStatisticsBlock));
}

TEST_F(PacketLogWriterTest, NobodyElseMayReadTheFile) {
  const mode_t before = umask(0);
  const absl::Cleanup restore = [&] { umask(before); };
  const std::unique_ptr<PacketLogWriter> writer = Writer();
  struct stat status;
  ASSERT_EQ(stat(options_.path.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600u);
}

TEST_F(PacketLogWriterTest, WritesOverNoFileAndThroughNoLink) {
  std::ofstream(options_.path) << "mine";
  absl::Status status = PacketLogWriter::Create(options_).status();
  EXPECT_TRUE(absl::IsAlreadyExists(status)) << status;
  EXPECT_THAT(status.message(), HasSubstr(options_.path));
  EXPECT_EQ(File().size(), 4u);
  const std::string other = folder_ + "/other";
  options_.path = folder_ + "/link";
  ASSERT_EQ(symlink(other.c_str(), options_.path.c_str()), 0);
  status = PacketLogWriter::Create(options_).status();
  EXPECT_TRUE(absl::IsAlreadyExists(status)) << status;
  EXPECT_FALSE(std::filesystem::exists(other));
}

TEST_F(PacketLogWriterTest, ErrorsNameThePathAndLeaveNothingBehind) {
  const size_t descriptors = CountOpenDescriptors();
  options_.path = folder_ + "/no_such_folder/leg.pcapng";
  const absl::Status status = PacketLogWriter::Create(options_).status();
  EXPECT_TRUE(absl::IsNotFound(status)) << status;
  EXPECT_THAT(status.message(), HasSubstr(options_.path));
  options_.path = folder_ + "/leg.pcapng";
  options_.max_size = DataSize::Bytes(4095);
  EXPECT_TRUE(absl::IsInvalidArgument(PacketLogWriter::Create(options_).status()));
  options_.max_size = DataSize::PlusInfinity();
  EXPECT_TRUE(absl::IsInvalidArgument(PacketLogWriter::Create(options_).status()));
  options_.max_size = DataSize::Bytes(4096);
  options_.ring.records = 0;
  EXPECT_TRUE(absl::IsInvalidArgument(PacketLogWriter::Create(options_).status()));
  options_.ring.records = 1;
  options_.rtp.local.family = LoggedIpFamily::kIpv6;
  EXPECT_TRUE(absl::IsInvalidArgument(PacketLogWriter::Create(options_).status()));
  options_.path = "";
  EXPECT_TRUE(absl::IsInvalidArgument(PacketLogWriter::Create(options_).status()));
  EXPECT_TRUE(std::filesystem::is_empty(folder_));
  EXPECT_EQ(CountOpenDescriptors(), descriptors);
}

TEST_F(PacketLogWriterTest, StopsAtItsSizeAndCountsTheRest) {
  options_.max_size = DataSize::Bytes(4096);
  const std::unique_ptr<PacketLogWriter> writer = Writer();
  for (int i = 0; i < 20; ++i) {
    EXPECT_TRUE(Push(*writer, i % 2 == 0 ? kIn : kOut, 1000));
    EXPECT_TRUE(writer->Drain().ok()) << "the call goes on";
  }
  // One that would fit alone comes too late: what is in the file has no gap.
  EXPECT_TRUE(Push(*writer, kIn, 1));
  writer->ring().Close();
  EXPECT_TRUE(writer->Finish(Timestamp::Seconds(2)).ok());
  EXPECT_LE(File().size(), 4096u);
  EXPECT_THAT(Blocks(), ElementsAre(kPacketBlock, kPacketBlock, kPacketBlock, kStatisticsBlock,
                                    kStatisticsBlock));
  EXPECT_THAT(writer->counters().written, ElementsAre(2, 1));
  EXPECT_THAT(writer->counters().left_out, ElementsAre(9, 9));
}

TEST_F(PacketLogWriterTest, TakesMoreThanItsBufferAtOnce) {
  options_.ring.records = 200;
  const std::unique_ptr<PacketLogWriter> writer = Writer();
  for (int i = 0; i < 200; ++i) EXPECT_TRUE(Push(*writer, kIn, 1500));
  EXPECT_FALSE(Push(*writer, kIn, 1500));
  EXPECT_TRUE(writer->Drain().ok());
  EXPECT_EQ(Blocks(), std::vector<uint32_t>(200, kPacketBlock));
  EXPECT_EQ(writer->ring().counters(kIn).dropped, 1u);
}

TEST_F(PacketLogWriterTest, AFileThatCannotGrowEndsWithAWholeBlock) {
  const auto previous = signal(SIGXFSZ, SIG_IGN);
  rlimit before;
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  const absl::Cleanup restore = [&] {
    setrlimit(RLIMIT_FSIZE, &before);
    signal(SIGXFSZ, previous);
  };
  const std::unique_ptr<PacketLogWriter> writer = Writer();
  EXPECT_TRUE(Push(*writer, kIn, 1000));
  EXPECT_TRUE(writer->Drain().ok());
  // A disk that is full in the middle of the next packet.
  const rlimit limit = {.rlim_cur = File().size() + 500, .rlim_max = before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &limit), 0);
  EXPECT_TRUE(Push(*writer, kOut, 1000));
  const absl::Status status = writer->Drain();
  EXPECT_FALSE(status.ok());
  EXPECT_THAT(status.message(), HasSubstr(options_.path));
  EXPECT_THAT(Blocks(), ElementsAre(kPacketBlock));
  // It goes on counting, and the ring does not fill.
  for (int i = 0; i < 1000; ++i) {
    ASSERT_TRUE(Push(*writer, kIn, 1000));
    ASSERT_EQ(writer->Drain(), status);
  }
  EXPECT_EQ(writer->Finish(Timestamp::Seconds(2)), status);
  EXPECT_THAT(writer->counters().written, ElementsAre(1, 0));
  EXPECT_THAT(writer->counters().failed, ElementsAre(1000, 1));
}

TEST_F(PacketLogWriterTest, ClosesItsFile) {
  const size_t descriptors = CountOpenDescriptors();
  Writer().reset();
  EXPECT_EQ(CountOpenDescriptors(), descriptors);
}

TEST_F(PacketLogWriterTest, DrainsWhileAWorkerPushes) {
  const std::unique_ptr<PacketLogWriter> writer = Writer();
  std::thread worker([&] {
    for (int i = 0; i < 20'000; ++i) Push(*writer, i % 2 == 0 ? kIn : kOut, 40);
    writer->ring().Close();
  });
  while (!writer->ended()) {
    EXPECT_TRUE(writer->Drain().ok());
  }
  worker.join();
  EXPECT_TRUE(writer->Finish(Timestamp::Seconds(2)).ok());
  for (const PacketDirection direction : {kIn, kOut}) {
    const PacketLogCounters ring = writer->ring().counters(direction);
    EXPECT_EQ(ring.logged, writer->counters().written[static_cast<size_t>(direction)]);
    EXPECT_EQ(ring.logged + ring.dropped, 10'000u);
  }
  EXPECT_EQ(Blocks().size(), writer->counters().written[0] + writer->counters().written[1] + 2);
}

}  // namespace
}  // namespace sluice
