#include "quic/client/ticket_store.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/synchronization/mutex.h"

namespace sluice {

ServerMemory TicketStore::Take(const std::string& server) {
  const absl::MutexLock lock(&mutex_);
  const auto found = servers_.find(server);
  if (found == servers_.end()) return {};
  ServerMemory memory = std::move(found->second);
  servers_.erase(found);
  return memory;
}

void TicketStore::PutTicket(const std::string& server, std::vector<uint8_t> ticket,
                            std::vector<uint8_t> remembered_parameters) {
  const absl::MutexLock lock(&mutex_);
  ServerMemory& memory = Of(server);
  memory.ticket = std::move(ticket);
  memory.remembered_parameters = std::move(remembered_parameters);
}

void TicketStore::PutToken(const std::string& server, std::vector<uint8_t> token) {
  const absl::MutexLock lock(&mutex_);
  Of(server).token = std::move(token);
}

ServerMemory& TicketStore::Of(const std::string& server) {
  if (servers_.size() >= kMaxServers && servers_.count(server) == 0) {
    servers_.erase(servers_.begin());
  }
  return servers_[server];
}

}  // namespace sluice
