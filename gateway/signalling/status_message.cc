#include "gateway/signalling/status_message.h"

#include <string>

#include "absl/strings/ascii.h"
#include "base/check.h"

namespace sluice {
namespace {

// Tag, ten bytes of a code; tag, three bytes of a length.
constexpr size_t kFraming = 15;

// A cut may have gone through a character, and what a client sent may be in it.
void MakePrintable(std::string& text) {
  for (char& c : text) {
    if (!absl::ascii_isprint(static_cast<unsigned char>(c))) {
      c = c == '\n' ? ' ' : '?';
    }
  }
}

}  // namespace

google::rpc::Status ToStatusMessage(const grpc::Status& status, size_t max_bytes) {
  SLUICE_CHECK(max_bytes >= 64);
  google::rpc::Status message;
  if (!message.ParseFromString(status.error_details())) {
    message.Clear();
  }
  message.set_code(static_cast<int>(status.error_code()));
  message.set_message(status.error_message());
  MakePrintable(*message.mutable_message());
  while (message.ByteSizeLong() > max_bytes && message.details_size() > 0) {
    message.mutable_details()->RemoveLast();
  }
  if (message.ByteSizeLong() > max_bytes) {
    message.mutable_message()->resize(max_bytes - kFraming);
  }
  return message;
}

}  // namespace sluice
