#ifndef GATEWAY_SIGNALLING_CALL_TABLE_H_
#define GATEWAY_SIGNALLING_CALL_TABLE_H_

#include <cstddef>
#include <optional>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "gateway/signalling/call_transport.h"

namespace sluice {

// Which call of a transport is which of ours, and what the transport has to remember of it. `Call`
// has == and a hash. One thread.
template <typename Call, typename Memory>
class CallTable {
 public:
  struct Entry {
    Call call;
    Memory memory;
  };

  // Both are new.
  void Add(CallId id, const Call& call, Memory memory) {
    ids_.insert_or_assign(call, id);
    entries_.insert_or_assign(id, Entry{call, std::move(memory)});
  }

  // Null when it is forgotten. Valid until the next Add or Remove.
  Entry* Find(CallId id) {
    const auto found = entries_.find(id);
    return found == entries_.end() ? nullptr : &found->second;
  }
  std::optional<CallId> IdOf(const Call& call) const {
    const auto found = ids_.find(call);
    return found == ids_.end() ? std::nullopt : std::make_optional(found->second);
  }

  void Remove(CallId id) {
    const auto found = entries_.find(id);
    if (found != entries_.end()) {
      ids_.erase(found->second.call);
      entries_.erase(found);
    }
  }

  size_t size() const { return entries_.size(); }

 private:
  absl::flat_hash_map<CallId, Entry> entries_;
  absl::flat_hash_map<Call, CallId> ids_;
};

}  // namespace sluice

#endif  // GATEWAY_SIGNALLING_CALL_TABLE_H_
