#include "gateway/worker/socket_table.h"

#include <utility>

#include "absl/status/status.h"
#include "base/check.h"
#include "gateway/errors/error_detail.h"

namespace sluice {

SocketTable::SocketTable(size_t max_sockets, Epoll& epoll) : entries_(max_sockets), epoll_(epoll) {}

SocketTable::~SocketTable() { Clear(); }

absl::StatusOr<LocalTransport> SocketTable::Add(MediaSockets&& sockets) {
  const std::optional<SocketHandle> rtp = AddOne(sockets.rtp(), Component::kRtp);
  std::optional<SocketHandle> rtcp = rtp;
  if (rtp.has_value() && sockets.rtcp() != nullptr) {
    rtcp = AddOne(*sockets.rtcp(), Component::kRtcp);
    if (!rtcp.has_value()) {
      epoll_.Remove(sockets.rtp().fd());
      entries_.Erase(*rtp);
    }
  }
  if (!rtcp.has_value()) {
    return LimitReached("sockets", entries_.capacity(), "this worker can watch no more sockets");
  }
  const LocalTransport local = {
      .rtp_socket = *rtp,
      .rtcp_socket = *rtcp,
      .rtp = sockets.advertised_rtp(),
      .rtcp = sockets.advertised_rtcp(),
  };
  if (*rtp != *rtcp) {
    entries_.Find(*rtp)->sibling = *rtcp;
    entries_.Find(*rtcp)->sibling = *rtp;
  }
  entries_.Find(*rtp)->sockets = std::move(sockets);
  return local;
}

void SocketTable::Assign(const LocalTransport& local, LegHandle leg) {
  for (const SocketHandle handle : {local.rtp_socket, local.rtcp_socket}) {
    if (Entry* entry = entries_.Find(handle); entry != nullptr) entry->leg = leg;
  }
}

std::vector<MediaSockets> SocketTable::Remove(absl::Span<const SocketHandle> handles) {
  std::vector<MediaSockets> removed;
  for (const SocketHandle handle : handles) {
    const Entry* const entry = entries_.Find(handle);
    if (entry == nullptr) continue;
    for (const SocketHandle one : {entry->sibling, handle}) {
      Entry* const leaving = entries_.Find(one);
      if (leaving == nullptr) continue;
      epoll_.Remove(leaving->socket->fd());
      if (leaving->sockets.has_value()) removed.push_back(*std::move(leaving->sockets));
      entries_.Erase(one);
    }
  }
  return removed;
}

void SocketTable::Clear() {
  entries_.ForEach([this](SocketHandle handle, Entry&) { Remove({handle}); });
}

std::optional<SocketHandle> SocketTable::AddOne(const UdpSocket& socket, Component component) {
  const std::optional<SocketHandle> handle = entries_.Emplace();
  if (!handle.has_value()) return std::nullopt;
  Entry& entry = *entries_.Find(*handle);
  entry.socket = &socket;
  entry.component = component;
  if (!epoll_.Add(socket.fd(), handle->ToUint64()).ok()) {
    entries_.Erase(*handle);
    return std::nullopt;
  }
  return handle;
}

}  // namespace sluice
