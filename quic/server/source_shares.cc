#include "quic/server/source_shares.h"

#include <algorithm>
#include <cstddef>

#include "base/check.h"
#include "quic/connection/udp_path.h"

namespace sluice {
namespace {

constexpr size_t kNetworkSize = 8;

}  // namespace

SourceShares::SourceShares(size_t max_connections) { shares_.reserve(max_connections); }

SourceShares::Key SourceShares::KeyOf(const UdpAddress& address) {
  Key key{};
  key[0] = address.is_v6() ? 6 : 4;
  const auto ip = address.ip();
  std::copy_n(ip.begin(), std::min(ip.size(), kNetworkSize), key.begin() + 1);
  return key;
}

SourceShares::Share SourceShares::Of(const UdpAddress& address) const {
  const auto found = shares_.find(KeyOf(address));
  return found != shares_.end() ? found->second : Share{};
}

void SourceShares::Add(const UdpAddress& address) {
  Share& share = shares_[KeyOf(address)];
  ++share.connections;
  ++share.half_open;
}

void SourceShares::Complete(const UdpAddress& address) {
  Share& share = shares_[KeyOf(address)];
  SLUICE_DCHECK(share.half_open > 0);
  --share.half_open;
}

void SourceShares::Remove(const UdpAddress& address, bool half_open) {
  const auto found = shares_.find(KeyOf(address));
  SLUICE_DCHECK(found != shares_.end());
  if (half_open) --found->second.half_open;
  if (--found->second.connections == 0) shares_.erase(found);
}

}  // namespace sluice
