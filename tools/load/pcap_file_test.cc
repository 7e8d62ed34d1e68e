#include "tools/load/pcap_file.h"

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/testing/hex.h"
#include "gtest/gtest.h"
#include "tests/e2e/scratch_folder.h"

namespace sluice {
namespace {

using Bytes = std::vector<uint8_t>;

constexpr char kFileHeader[] = "a1b2c3d4 0002 0004 00000000 00000000 0000ffff 00000065";

Bytes FileBytes(const std::string& path) {
  const std::string content = ReadFileOrEmpty(path);
  return {content.begin(), content.end()};
}

TEST(PcapFileTest, WritesDatagramsWithTheirHeaders) {
  const ScratchFolder folder;
  const std::string path = folder.File("a.pcap");
  {
    absl::StatusOr<PcapFile> file = PcapFile::Create(path);
    ASSERT_TRUE(file.ok()) << file.status();
    file->Add(Timestamp::Micros(3'000'007), UdpAddress::V4({192, 0, 2, 1}, 4433),
              UdpAddress::V4({192, 0, 2, 2}, 50'000), Ecn::kCe, Bytes{0xAA, 0xBB});
    file->Add(Timestamp::Zero(),
              UdpAddress::V6({0x20, 1, 0xD, 0xB8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1}, 1),
              UdpAddress::V6({0x20, 1, 0xD, 0xB8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2}, 2),
              Ecn::kEct0, Bytes{});
  }
  std::string expected = kFileHeader;
  expected += "00000003 00000007 0000001e 0000001e";
  expected += "4503001e 00004000 40110000 c0000201 c0000202 1151c350 000a0000 aabb";
  expected += "00000000 00000000 00000030 00000030 60200000 00081140";
  expected += "20010db8000000000000000000000001 20010db8000000000000000000000002";
  expected += "00010002 00080000";
  EXPECT_EQ(FileBytes(path), HexBytes(expected));
}

TEST(PcapFileTest, AFolderThatIsNotThereIsAnError) {
  const absl::StatusOr<PcapFile> file = PcapFile::Create("/nonexistent/a.pcap");
  EXPECT_EQ(file.status().code(), absl::StatusCode::kNotFound);
}

}  // namespace
}  // namespace sluice
