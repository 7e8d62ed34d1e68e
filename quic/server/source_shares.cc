#include "quic/server/source_shares.h"

#include <cstddef>

#include "base/check.h"

namespace sluice {

SourceShares::SourceShares(size_t max_connections) { shares_.reserve(max_connections); }

SourceShares::Share SourceShares::Of(const UdpAddress& address) const {
  const auto found = shares_.find(SourceKey(address));
  return found != shares_.end() ? found->second : Share{};
}

void SourceShares::Add(const UdpAddress& address) {
  Share& share = shares_[SourceKey(address)];
  ++share.connections;
  ++share.half_open;
}

void SourceShares::Complete(const UdpAddress& address) {
  Share& share = shares_[SourceKey(address)];
  SLUICE_DCHECK(share.half_open > 0);
  --share.half_open;
}

void SourceShares::Remove(const UdpAddress& address, bool half_open) {
  const auto found = shares_.find(SourceKey(address));
  SLUICE_DCHECK(found != shares_.end());
  if (half_open) --found->second.half_open;
  if (--found->second.connections == 0) shares_.erase(found);
}

}  // namespace sluice
