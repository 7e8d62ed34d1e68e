#ifndef QUIC_CLIENT_TICKET_STORE_H_
#define QUIC_CLIENT_TICKET_STORE_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"

namespace sluice {

// What a server gave a client so that it can come back faster. Secret.
struct ServerMemory {
  friend bool operator==(const ServerMemory& a, const ServerMemory& b) = default;

  // As in OutgoingConnection; empty for none.
  std::vector<uint8_t> ticket{};
  std::vector<uint8_t> remembered_parameters{};
  std::vector<uint8_t> token{};
};

// Keeps what servers gave, for the next connection to each: with a ticket a harmless call goes out
// with the first flight, and a token saves a Retry. Lasts as long as the object. Any thread.
class TicketStore {
 public:
  // Who talks to more servers than this loses what was kept for the others.
  static constexpr size_t kMaxServers = 256;

  TicketStore() = default;
  TicketStore(const TicketStore&) = delete;
  TicketStore& operator=(const TicketStore&) = delete;

  // What is kept for a connection to `server`, and forgets it: to show a ticket twice tells who
  // watches that it is the same client (RFC 8446 appendix C.4).
  ServerMemory Take(const std::string& server);
  // The last one counts.
  void PutTicket(const std::string& server, std::vector<uint8_t> ticket,
                 std::vector<uint8_t> remembered_parameters);
  void PutToken(const std::string& server, std::vector<uint8_t> token);

 private:
  ServerMemory& Of(const std::string& server) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  absl::Mutex mutex_;
  std::map<std::string, ServerMemory> servers_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace sluice

#endif  // QUIC_CLIENT_TICKET_STORE_H_
