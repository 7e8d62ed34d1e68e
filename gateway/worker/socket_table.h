#ifndef GATEWAY_WORKER_SOCKET_TABLE_H_
#define GATEWAY_WORKER_SOCKET_TABLE_H_

#include <cstddef>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "base/slot_map.h"
#include "gateway/io/epoll.h"
#include "gateway/io/media_port_pool.h"
#include "gateway/io/udp_socket.h"
#include "gateway/leg/leg_spec.h"

namespace sluice {

// The sockets of a worker's legs: found by handle, and waited for in an epoll with the handle as
// token. Fixed capacity. One thread.
class SocketTable {
 public:
  struct Entry {
    // Owned by `sockets` of this entry or of its sibling.
    const UdpSocket* socket = nullptr;
    Component component = Component::kRtp;
    // Stale until Assign.
    LegHandle leg;
    // The leg's other socket; a stale handle with rtcp-mux.
    SocketHandle sibling;
    // With the RTP socket only.
    std::optional<MediaSockets> sockets;
  };

  // `epoll` outlives the table.
  SocketTable(size_t max_sockets, Epoll& epoll);
  ~SocketTable();
  SocketTable(const SocketTable&) = delete;
  SocketTable& operator=(const SocketTable&) = delete;

  // Takes the sockets of one leg, from `sockets` on success only. ResourceExhausted when the table
  // or the kernel has no room.
  absl::StatusOr<LocalTransport> Add(MediaSockets&& sockets);
  // Says whose they are.
  void Assign(const LocalTransport& local, LegHandle leg);
  // Gives the sockets of whole legs back, so that they are closed where it takes nobody's time.
  // Each leg is named by one or both of its sockets; stale handles are passed over.
  std::vector<MediaSockets> Remove(absl::Span<const SocketHandle> handles);
  // Closes all.
  void Clear();

  // Null when the handle is stale. Good until the next Add or Remove.
  const Entry* Find(SocketHandle handle) const { return entries_.Find(handle); }

  size_t size() const { return entries_.size(); }

 private:
  std::optional<SocketHandle> AddOne(const UdpSocket& socket, Component component);

  SlotMap<Entry, SocketTag> entries_;
  Epoll& epoll_;
};

}  // namespace sluice

#endif  // GATEWAY_WORKER_SOCKET_TABLE_H_
