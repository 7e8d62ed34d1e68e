#ifndef BASE_TESTING_VECTOR_FILE_H_
#define BASE_TESTING_VECTOR_FILE_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace sluice {

// Test vectors as text: blocks of `name = value` lines, separated by blank lines. A line that
// begins with '#' is a comment; a block of comments only is no block. A value is hex (blanks
// allowed, may be empty), a number (decimal, or hex after 0x) or text in double quotes (no escapes:
// it ends at the last quote of the line); the reader of the attribute says which it expects. A name
// may be repeated within a block; its values are read in the order of the file.
//
//   # RFC 7714, section 16.1.1
//   suite  = "AEAD_AES_128_GCM"
//   ssrc   = 0x12345678
//   packet = 8040f17b 8041f8d3
//
// Every attribute must be read, exactly once: a typing mistake in a name, or a value that the test
// forgot, fails the test instead of testing nothing.

// One block. Reading failures fail the running Google Test at the line of the file, and give an
// empty value.
class VectorBlock {
 public:
  // The next unread attribute of that name: hex, or the bytes of a quoted text.
  std::vector<uint8_t> Bytes(absl::string_view name);
  // ... as an unsigned number of up to 64 bits.
  uint64_t Number(absl::string_view name);
  // ... as quoted text, without its quotes.
  std::string Text(absl::string_view name);

  // Whether an unread attribute of that name is left. Reads nothing.
  bool Has(absl::string_view name) const;

  // Fails the running test for each attribute that was not read.
  void ExpectAllRead() const;

  // The line of the file, counted from 1, where the block begins.
  int line() const { return line_; }
  const std::string& path() const { return path_; }

 private:
  friend class VectorFile;

  struct Attribute {
    std::string name;
    std::string value;
    int line;
    bool read = false;
  };

  VectorBlock(absl::string_view path, int line) : path_(path), line_(line) {}

  // Marks and returns the next attribute of that name; fails the test and gives null if there is
  // none.
  const Attribute* Take(absl::string_view name);
  void Fail(const Attribute& attribute, absl::string_view expected) const;

  std::string path_;
  int line_;
  std::vector<Attribute> attributes_;
};

// A whole file, in memory.
class VectorFile {
 public:
  // `path` is relative to the workspace root, where a Bazel test starts. NotFound when it cannot be
  // read; InvalidArgument, naming the line, when it is not of the form above.
  static absl::StatusOr<VectorFile> Open(absl::string_view path);

  // In the order of the file. May be empty.
  absl::Span<VectorBlock> blocks() { return absl::MakeSpan(blocks_); }

 private:
  VectorFile() = default;

  // Appends one line to what was read; an error without its place.
  absl::Status AddLine(absl::string_view path, int number, absl::string_view line);

  std::vector<VectorBlock> blocks_;
  bool in_block_ = false;
};

// Calls `test` for each block of the file. Fails the running Google Test, at the line of the file,
// when the file cannot be read or has no block, and when `test` reads an attribute that is missing
// or malformed or leaves one unread. Failures inside `test` are traced to the block. Stops at the
// first block with a fatal failure.
void ForEachVector(absl::string_view path, absl::FunctionRef<void(VectorBlock&)> test);

}  // namespace sluice

#endif  // BASE_TESTING_VECTOR_FILE_H_
