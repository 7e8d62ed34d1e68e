#include "gateway/io/system_random.h"

#include <errno.h>
#include <sys/random.h>

#include "base/check.h"

namespace sluice {

void SystemRandom::Fill(absl::Span<uint8_t> bytes) {
  while (!bytes.empty()) {
    const ssize_t filled = getrandom(bytes.data(), bytes.size(), 0);
    if (filled < 0) {
      SLUICE_CHECK(errno == EINTR) << "getrandom failed with errno " << errno;
      continue;
    }
    bytes.remove_prefix(static_cast<size_t>(filled));
  }
}

}  // namespace sluice
