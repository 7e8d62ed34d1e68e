#include "quic/rpc/protobuf_fields.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "gtest/gtest.h"

namespace sluice {
namespace {

using Bytes = std::vector<uint8_t>;

bool IsMalformed(const Bytes& bytes) {
  ProtobufFieldReader reader(bytes);
  ProtobufField field;
  while (reader.Next(field)) {
  }
  EXPECT_FALSE(reader.Next(field));
  return reader.malformed();
}

TEST(ProtobufFieldsTest, WhatWasWrittenIsReadAgain) {
  std::array<uint8_t, 100> buffer;
  absl::Span<uint8_t> rest = absl::MakeSpan(buffer);
  ASSERT_TRUE(WriteProtobufVarint(rest, 1, 150));
  ASSERT_TRUE(WriteProtobufText(rest, 2, "testing"));
  ASSERT_TRUE(WriteProtobufVarint(rest, 15, ~uint64_t{0}));
  ASSERT_TRUE(WriteProtobufText(rest, 3, ""));
  const auto written = absl::MakeConstSpan(buffer).first(buffer.size() - rest.size());
  // The examples of the encoding's public description.
  EXPECT_EQ(Bytes(written.begin(), written.begin() + 3), (Bytes{0x08, 0x96, 0x01}));
  EXPECT_EQ(Bytes(written.begin() + 3, written.begin() + 5), (Bytes{0x12, 0x07}));

  ProtobufFieldReader reader(written);
  ProtobufField field;
  ASSERT_TRUE(reader.Next(field));
  EXPECT_EQ(field.number, 1u);
  EXPECT_EQ(field.type, ProtobufWireType::kVarint);
  EXPECT_EQ(field.value, 150u);
  ASSERT_TRUE(reader.Next(field));
  EXPECT_EQ(field.number, 2u);
  EXPECT_EQ(field.type, ProtobufWireType::kBytes);
  EXPECT_EQ(field.text(), "testing");
  ASSERT_TRUE(reader.Next(field));
  EXPECT_EQ(field.number, 15u);
  EXPECT_EQ(field.value, ~uint64_t{0});
  ASSERT_TRUE(reader.Next(field));
  EXPECT_EQ(field.text(), "");
  EXPECT_FALSE(reader.Next(field));
  EXPECT_FALSE(reader.malformed());
}

TEST(ProtobufFieldsTest, FixedFieldsAreTheirBytes) {
  const Bytes bytes = {0x0d, 1, 2, 3, 4, 0x11, 1, 2, 3, 4, 5, 6, 7, 8};
  ProtobufFieldReader reader(bytes);
  ProtobufField field;
  ASSERT_TRUE(reader.Next(field));
  EXPECT_EQ(field.type, ProtobufWireType::kFixed32);
  EXPECT_EQ(field.bytes.size(), 4u);
  ASSERT_TRUE(reader.Next(field));
  EXPECT_EQ(field.type, ProtobufWireType::kFixed64);
  EXPECT_EQ(field.bytes, absl::MakeConstSpan(bytes).subspan(6));
  EXPECT_FALSE(reader.Next(field));
  EXPECT_FALSE(reader.malformed());
}

TEST(ProtobufFieldsTest, FaultsAreMalformed) {
  EXPECT_FALSE(IsMalformed({}));
  EXPECT_FALSE(IsMalformed({0x08, 0x00}));
  EXPECT_TRUE(IsMalformed({0x08})) << "no value";
  EXPECT_TRUE(IsMalformed({0x80})) << "half a tag";
  EXPECT_TRUE(IsMalformed({0x00, 0x00})) << "number 0";
  EXPECT_TRUE(IsMalformed({0x0b, 0x0c})) << "a group";
  EXPECT_TRUE(IsMalformed({0x0e})) << "no type";
  EXPECT_TRUE(IsMalformed({0x12, 0x02, 0x41})) << "text that ends too early";
  EXPECT_TRUE(IsMalformed({0x12, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01}));
  EXPECT_TRUE(IsMalformed({0x0d, 1, 2, 3})) << "half a fixed32";
  EXPECT_TRUE(IsMalformed({0x11, 1, 2, 3, 4, 5, 6, 7})) << "half a fixed64";
  EXPECT_TRUE(IsMalformed({0x88, 0x80, 0x80, 0x80, 0x10, 0x00})) << "a tag of 33 bits";
  EXPECT_TRUE(IsMalformed({0x08, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x02}))
      << "65 bits";
  EXPECT_TRUE(IsMalformed({0x08, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x00}))
      << "eleven bytes";
}

TEST(ProtobufFieldsTest, NothingIsWrittenForLackOfRoom) {
  std::array<uint8_t, 8> buffer{};
  for (size_t room = 0; room < 8; ++room) {
    absl::Span<uint8_t> rest = absl::MakeSpan(buffer).first(room);
    EXPECT_EQ(WriteProtobufText(rest, 1, "six co"), room == 8);
    EXPECT_EQ(rest.size(), room);
  }
  absl::Span<uint8_t> rest = absl::MakeSpan(buffer);
  EXPECT_TRUE(WriteProtobufText(rest, 1, "six co"));
  EXPECT_TRUE(rest.empty());
  rest = absl::MakeSpan(buffer).first(2);
  EXPECT_FALSE(WriteProtobufVarint(rest, 1, 128));
  EXPECT_TRUE(WriteProtobufVarint(rest, 1, 127));
  EXPECT_TRUE(rest.empty());
}

}  // namespace
}  // namespace sluice
