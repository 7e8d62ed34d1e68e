#ifndef QUIC_CALLS_CONNECTION_RPC_STREAMS_H_
#define QUIC_CALLS_CONNECTION_RPC_STREAMS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

#include "absl/types/span.h"
#include "quic/connection/quic_connection.h"
#include "quic/rpc/rpc_error_code.h"
#include "quic/rpc/rpc_streams.h"

namespace sluice {

// The streams of a QuicConnection, as calls use them. Remembers whether something was said while
// the connection was not about to write anyway, and tells of it. Without a connection nothing can
// be written. One thread.
class ConnectionRpcStreams : public RpcClientStreams {
 public:
  // While it lives the connection handles something, and writes when that is done.
  class Event {
   public:
    explicit Event(ConnectionRpcStreams& streams)
        : streams_(streams), before_(std::exchange(streams.in_event_, true)) {}
    ~Event() { streams_.in_event_ = before_; }
    Event(const Event&) = delete;
    Event& operator=(const Event&) = delete;

   private:
    ConnectionRpcStreams& streams_;
    const bool before_;
  };

  // `connection` stays until Detach.
  void Attach(QuicConnection& connection) { connection_ = &connection; }
  void Detach() { connection_ = nullptr; }
  // Null without one.
  QuicConnection* connection() const { return connection_; }

  size_t Write(RpcStreamId id, absl::Span<const uint8_t> bytes, bool fin) override;
  void Reset(RpcStreamId id, RpcErrorCode code) override;
  void StopSending(RpcStreamId id, RpcErrorCode code) override;
  std::optional<RpcStreamId> Open() override;
  // Lets the peer send as much more.
  void Consume(RpcStreamId id, size_t size);

  // Whether there is something that the connection does not write by itself, and forgets it.
  bool TakeUnsent() { return std::exchange(unsent_, false) && connection_ != nullptr; }

 protected:
  // Something is said outside of events.
  virtual void OnUnsent() {}

 private:
  void NoteUnsent() {
    if (in_event_) return;
    unsent_ = true;
    OnUnsent();
  }

  QuicConnection* connection_ = nullptr;
  bool in_event_ = false;
  bool unsent_ = false;
};

}  // namespace sluice

#endif  // QUIC_CALLS_CONNECTION_RPC_STREAMS_H_
