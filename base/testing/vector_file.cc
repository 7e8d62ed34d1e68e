#include "base/testing/vector_file.h"

#include <cstdint>
#include <fstream>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/testing/hex.h"
#include "gtest/gtest.h"

namespace sluice {
namespace {

// The text between the quotes, nothing when the value is not quoted.
std::optional<absl::string_view> Unquote(absl::string_view value) {
  if (value.size() < 2 || value.front() != '"' || value.back() != '"') return std::nullopt;
  return value.substr(1, value.size() - 2);
}

}  // namespace

std::vector<uint8_t> VectorBlock::Bytes(absl::string_view name) {
  const Attribute* attribute = Take(name);
  if (attribute == nullptr) return {};
  if (std::optional<absl::string_view> text = Unquote(attribute->value)) {
    return std::vector<uint8_t>(text->begin(), text->end());
  }
  std::optional<std::vector<uint8_t>> bytes = ParseHex(attribute->value);
  if (!bytes.has_value()) {
    Fail(*attribute, "hex or quoted text");
    return {};
  }
  return *std::move(bytes);
}

uint64_t VectorBlock::Number(absl::string_view name) {
  const Attribute* attribute = Take(name);
  if (attribute == nullptr) return 0;
  uint64_t number = 0;
  const bool ok = absl::StartsWithIgnoreCase(attribute->value, "0x")
                      ? absl::SimpleHexAtoi(attribute->value, &number)
                      : absl::SimpleAtoi(attribute->value, &number);
  if (!ok) {
    Fail(*attribute, "a number");
    return 0;
  }
  return number;
}

std::string VectorBlock::Text(absl::string_view name) {
  const Attribute* attribute = Take(name);
  if (attribute == nullptr) return "";
  std::optional<absl::string_view> text = Unquote(attribute->value);
  if (!text.has_value()) {
    Fail(*attribute, "quoted text");
    return "";
  }
  return std::string(*text);
}

bool VectorBlock::Has(absl::string_view name) const {
  for (const Attribute& attribute : attributes_) {
    if (attribute.name == name && !attribute.read) return true;
  }
  return false;
}

void VectorBlock::ExpectAllRead() const {
  for (const Attribute& attribute : attributes_) {
    if (attribute.read) continue;
    ADD_FAILURE_AT(path_.c_str(), attribute.line)
        << "attribute \"" << attribute.name << "\" was not read by the test";
  }
}

const VectorBlock::Attribute* VectorBlock::Take(absl::string_view name) {
  bool was_read = false;
  for (Attribute& attribute : attributes_) {
    if (attribute.name != name) continue;
    if (!attribute.read) {
      attribute.read = true;
      return &attribute;
    }
    was_read = true;
  }
  ADD_FAILURE_AT(path_.c_str(), line_)
      << "the block has no " << (was_read ? "further " : "") << "attribute \"" << name << "\"";
  return nullptr;
}

void VectorBlock::Fail(const Attribute& attribute, absl::string_view expected) const {
  ADD_FAILURE_AT(path_.c_str(), attribute.line)
      << "attribute \"" << attribute.name << "\" is not " << expected << ": " << attribute.value;
}

absl::StatusOr<VectorFile> VectorFile::Open(absl::string_view path) {
  std::ifstream stream{std::string(path)};
  if (!stream.is_open()) return absl::NotFoundError(absl::StrCat(path, ": cannot be opened"));
  VectorFile file;
  std::string line;
  for (int number = 1; std::getline(stream, line); ++number) {
    absl::Status status = file.AddLine(path, number, absl::StripAsciiWhitespace(line));
    if (!status.ok()) {
      return absl::Status(status.code(), absl::StrCat(path, ":", number, ": ", status.message()));
    }
  }
  if (stream.bad()) return absl::NotFoundError(absl::StrCat(path, ": cannot be read"));
  return file;
}

absl::Status VectorFile::AddLine(absl::string_view path, int number, absl::string_view line) {
  if (line.empty()) {
    in_block_ = false;
    return absl::OkStatus();
  }
  if (line.front() == '#') return absl::OkStatus();
  const size_t equals = line.find('=');
  if (equals == absl::string_view::npos) {
    return absl::InvalidArgumentError("expected name = value");
  }
  const absl::string_view name = absl::StripAsciiWhitespace(line.substr(0, equals));
  const absl::string_view value = absl::StripAsciiWhitespace(line.substr(equals + 1));
  if (name.empty()) return absl::InvalidArgumentError("no name before the =");
  if (!in_block_) {
    blocks_.push_back(VectorBlock(path, number));
    in_block_ = true;
  }
  blocks_.back().attributes_.push_back({std::string(name), std::string(value), number});
  return absl::OkStatus();
}

void ForEachVector(absl::string_view path, absl::FunctionRef<void(VectorBlock&)> test) {
  const std::string file_name(path);
  absl::StatusOr<VectorFile> file = VectorFile::Open(path);
  if (!file.ok()) {
    ADD_FAILURE_AT(file_name.c_str(), 1) << file.status();
    return;
  }
  if (file->blocks().empty()) {
    ADD_FAILURE_AT(file_name.c_str(), 1) << "the file has no test vector";
    return;
  }
  for (VectorBlock& block : file->blocks()) {
    const ::testing::ScopedTrace trace(file_name.c_str(), block.line(), "in this test vector");
    test(block);
    if (::testing::Test::HasFatalFailure()) return;
    block.ExpectAllRead();
  }
}

}  // namespace sluice
