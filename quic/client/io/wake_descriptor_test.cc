#include "quic/client/io/wake_descriptor.h"

#include <poll.h>

#include "gtest/gtest.h"

namespace sluice {
namespace {

bool IsReadable(const WakeDescriptor& wake) {
  pollfd entry = {.fd = wake.fd(), .events = POLLIN, .revents = 0};
  return poll(&entry, 1, 0) == 1;
}

TEST(WakeDescriptorTest, IsReadableFromWakeToClear) {
  const auto wake = WakeDescriptor::Create();
  ASSERT_TRUE(wake.ok()) << wake.status();
  EXPECT_FALSE(IsReadable(**wake));
  (*wake)->Clear();
  EXPECT_FALSE(IsReadable(**wake));
  (*wake)->Wake();
  (*wake)->Wake();
  EXPECT_TRUE(IsReadable(**wake));
  (*wake)->Clear();
  EXPECT_FALSE(IsReadable(**wake));
}

}  // namespace
}  // namespace sluice
