#include "base/testing/vector_file.h"

#include <cstdint>
#include <fstream>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "gmock/gmock.h"
#include "gtest/gtest-spi.h"
#include "gtest/gtest.h"

namespace sluice {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

// A file with that content; its path is different in each test.
std::string Write(absl::string_view content) {
  const testing::TestInfo* test = testing::UnitTest::GetInstance()->current_test_info();
  const std::string path = absl::StrCat(testing::TempDir(), test->name(), ".txt");
  std::ofstream(path) << content;
  return path;
}

// What fails in `body`, as "line: message".
std::vector<std::string> FailuresOf(absl::string_view path, absl::FunctionRef<void()> body) {
  testing::TestPartResultArray results;
  {
    testing::ScopedFakeTestPartResultReporter reporter(
        testing::ScopedFakeTestPartResultReporter::INTERCEPT_ONLY_CURRENT_THREAD, &results);
    body();
  }
  std::vector<std::string> failures;
  for (int i = 0; i < results.size(); ++i) {
    const testing::TestPartResult& result = results.GetTestPartResult(i);
    EXPECT_EQ(absl::string_view(result.file_name()), path);
    failures.push_back(
        absl::StrCat(result.line_number(), ": ", absl::StripPrefix(result.summary(), "Failed\n")));
  }
  return failures;
}

std::vector<std::string> FailuresOf(absl::string_view path,
                                    absl::FunctionRef<void(VectorBlock&)> test) {
  return FailuresOf(path, [path, test] { ForEachVector(path, test); });
}

TEST(VectorFileTest, ReadsBlocksAndValues) {
  const std::string path = Write(
      "# A made-up file\n"
      "\n"
      "suite = \"AES 128\"\n"
      "  # comments and blanks do not matter\n"
      "count=18446744073709551615\n"
      "  ssrc = 0xDeadBeef  \r\n"
      "key = 00 01 fe FF\n"
      "label = \"abc\"\n"
      "aad =\n"
      "\n"
      "\n"
      "# the second\n"
      "quote = \"a = \"b\" # c\"\n");
  int blocks = 0;
  ForEachVector(path, [&](VectorBlock& block) {
    if (++blocks == 1) {
      EXPECT_EQ(block.line(), 3);
      EXPECT_EQ(block.Text("suite"), "AES 128");
      EXPECT_EQ(block.Number("count"), UINT64_MAX);
      EXPECT_EQ(block.Number("ssrc"), 0xDEADBEEF);
      EXPECT_THAT(block.Bytes("key"), ElementsAre(0x00, 0x01, 0xFE, 0xFF));
      EXPECT_THAT(block.Bytes("label"), ElementsAre('a', 'b', 'c'));
      EXPECT_THAT(block.Bytes("aad"), IsEmpty());
    } else {
      EXPECT_EQ(block.line(), 13);
      EXPECT_EQ(block.Text("quote"), "a = \"b\" # c");
    }
  });
  EXPECT_EQ(blocks, 2);
}

TEST(VectorFileTest, RepeatedNamesAreReadInOrder) {
  const std::string path = Write("packet = 01\nother = 5\npacket = 02\npacket = 03\n");
  std::vector<uint8_t> seen;
  ForEachVector(path, [&](VectorBlock& block) {
    while (block.Has("packet")) seen.push_back(block.Bytes("packet").at(0));
    EXPECT_FALSE(block.Has("packet"));
    EXPECT_TRUE(block.Has("other"));
    EXPECT_FALSE(block.Has("absent"));
    block.Number("other");
  });
  EXPECT_THAT(seen, ElementsAre(1, 2, 3));
}

TEST(VectorFileTest, AnUnreadAttributeFailsAtItsLine) {
  const std::string path = Write("key = 00\nsalt = 01\n\nkey = 02\nkey = 03\n");
  EXPECT_THAT(FailuresOf(path, [](VectorBlock& block) { block.Bytes("key"); }),
              ElementsAre(HasSubstr("2: attribute \"salt\" was not read"),
                          HasSubstr("5: attribute \"key\" was not read")));
}

TEST(VectorFileTest, AMissingAttributeFailsAtItsBlock) {
  const std::string path = Write("\nkey = 00\n");
  std::vector<uint8_t> salt = {1};
  EXPECT_THAT(FailuresOf(path,
                         [&](VectorBlock& block) {
                           salt = block.Bytes("salt");
                           block.Bytes("key");
                         }),
              ElementsAre(HasSubstr("2: the block has no attribute \"salt\"")));
  EXPECT_THAT(salt, IsEmpty());
}

TEST(VectorFileTest, ReadingTooOftenFails) {
  const std::string path = Write("key = 00\n");
  EXPECT_THAT(FailuresOf(path,
                         [](VectorBlock& block) {
                           block.Bytes("key");
                           block.Bytes("key");
                         }),
              ElementsAre(HasSubstr("1: the block has no further attribute \"key\"")));
}

TEST(VectorFileTest, AMalformedValueFailsAtItsLine) {
  const std::string path = Write(
      "odd = 012\n"
      "number = 18446744073709551616\n"
      "negative = -1\n"
      "text = plain\n"
      "open = \"plain\n");
  const std::vector<std::string> failures = FailuresOf(path, [](VectorBlock& block) {
    EXPECT_THAT(block.Bytes("odd"), IsEmpty());
    EXPECT_EQ(block.Number("number"), 0u);
    EXPECT_EQ(block.Number("negative"), 0u);
    EXPECT_EQ(block.Text("text"), "");
    EXPECT_EQ(block.Text("open"), "");
  });
  EXPECT_THAT(
      failures,
      ElementsAre(HasSubstr("1: attribute \"odd\" is not hex or quoted text: 012"),
                  HasSubstr("2: attribute \"number\" is not a number: 18446744073709551616"),
                  HasSubstr("3: attribute \"negative\" is not a number: -1"),
                  HasSubstr("4: attribute \"text\" is not quoted text: plain"),
                  HasSubstr("5: attribute \"open\" is not quoted text: \"plain")));
}

TEST(VectorFileTest, AFileWithoutVectorsFails) {
  const std::string path = Write("# nothing but\n\n# comments\n");
  EXPECT_NONFATAL_FAILURE(ForEachVector(path, [](VectorBlock&) {}), "has no test vector");
}

TEST(VectorFileTest, AMissingFileFails) {
  EXPECT_NONFATAL_FAILURE(ForEachVector("no/such/file.txt", [](VectorBlock&) {}),
                          "no/such/file.txt: cannot be opened");
  EXPECT_EQ(VectorFile::Open("no/such/file.txt").status().code(), absl::StatusCode::kNotFound);
}

TEST(VectorFileTest, ALineThatIsNoAttributeIsAnErrorWithItsPlace) {
  const std::string path = Write("key = 00\n\nkey 00\n");
  const absl::Status status = VectorFile::Open(path).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(status.message(), absl::StrCat(path, ":3: expected name = value"));
  EXPECT_NONFATAL_FAILURE(ForEachVector(path, [](VectorBlock&) {}), ":3: expected name = value");
}

TEST(VectorFileTest, AnAttributeNeedsAName) {
  const std::string path = Write("= 00\n");
  EXPECT_THAT(VectorFile::Open(path).status().message(), HasSubstr(":1: no name before the ="));
}

TEST(VectorFileTest, AFailureInsideTheTestNamesTheVector) {
  const std::string path = Write("key = 00\n\nkey = 01\n");
  EXPECT_NONFATAL_FAILURE(
      ForEachVector(path, [](VectorBlock& block) { EXPECT_EQ(block.Bytes("key").at(0), 0); }),
      absl::StrCat(path, ":3: in this test vector"));
}

TEST(VectorFileTest, OpenGivesTheBlocksWithoutReadingThem) {
  absl::StatusOr<VectorFile> file = VectorFile::Open(Write("a = 1\n\nb = 2\n"));
  ASSERT_TRUE(file.ok()) << file.status();
  ASSERT_THAT(file->blocks(), SizeIs(2));
  EXPECT_EQ(file->blocks()[1].Number("b"), 2u);
}

}  // namespace
}  // namespace sluice
