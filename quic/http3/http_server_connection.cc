#include "quic/http3/http_server_connection.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

#include "absl/types/span.h"
#include "base/buffer_pool.h"
#include "base/check.h"
#include "quic/server/source_key.h"

namespace sluice {

class HttpServerConnection::Event {
 public:
  explicit Event(HttpServerConnection& connection)
      : connection_(connection), before_(std::exchange(connection.in_event_, true)) {}
  ~Event() { connection_.in_event_ = before_; }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;

 private:
  HttpServerConnection& connection_;
  const bool before_;
};

HttpServerConnection::HttpServerConnection(const HttpServerResources& resources,
                                           QuicConnection& connection)
    : now_(resources.now),
      connection_(&connection),
      server_(resources.limits, *this, resources.service, resources.buffers, resources.counters,
              BufferSource(SourceKey(connection.path().remote).hash())) {}

bool HttpServerConnection::TakeUnsent() {
  return std::exchange(unsent_, false) && connection_ != nullptr;
}

std::optional<uint64_t> HttpServerConnection::failure() const {
  if (!server_.failure().has_value()) return std::nullopt;
  return static_cast<uint64_t>(*server_.failure());
}

// ---- Events. ----

void HttpServerConnection::OnConnected() {
  const Event event(*this);
  server_.OnConnected(now_);
}

void HttpServerConnection::OnStreamOpened(StreamId id) {
  const Event event(*this);
  if (IsBidirectional(id)) ++open_streams_;
  server_.OnStreamOpened(now_, id);
}

void HttpServerConnection::OnStreamData(StreamId id, absl::Span<const uint8_t> data, bool fin,
                                        bool early) {
  const Event event(*this);
  server_.OnStreamData(now_, id, data, fin, early);
  // Whatever it was, nothing of it is kept that is not bounded by itself.
  if (connection_ != nullptr) connection_->Consume(id, data.size());
}

void HttpServerConnection::OnStreamReset(StreamId id, uint64_t /*code*/) {
  const Event event(*this);
  server_.OnStreamReset(id);
}

void HttpServerConnection::OnStopSending(StreamId id) {
  // Told when the connection has written what it had: not an event after which it writes.
  server_.OnStopSending(id);
}

void HttpServerConnection::OnWritable(StreamId id) {
  const Event event(*this);
  server_.OnWritable(now_, id);
}

void HttpServerConnection::OnStreamClosed(StreamId id) {
  const Event event(*this);
  if (IsBidirectional(id)) {
    SLUICE_DCHECK(open_streams_ > 0);
    --open_streams_;
  }
  server_.OnStreamClosed(id);
}

void HttpServerConnection::OnClosed(const CloseReason& /*reason*/) {
  open_streams_ = 0;
  connection_ = nullptr;
  server_.OnConnectionClosed();
}

// ---- Streams. ----

void HttpServerConnection::NoteUnsent() {
  if (in_event_) return;
  unsent_ = true;
  Touch();
}

std::optional<StreamId> HttpServerConnection::OpenUnidirectional() {
  if (connection_ == nullptr) return std::nullopt;
  return connection_->OpenUnidirectional();
}

size_t HttpServerConnection::Write(StreamId id, absl::Span<const uint8_t> bytes, bool fin) {
  if (connection_ == nullptr) return 0;
  NoteUnsent();
  return connection_->Write(id, bytes, fin);
}

void HttpServerConnection::Reset(StreamId id, HttpErrorCode code) {
  if (connection_ == nullptr) return;
  NoteUnsent();
  connection_->Reset(id, static_cast<uint64_t>(code));
}

void HttpServerConnection::StopSending(StreamId id, HttpErrorCode code) {
  if (connection_ == nullptr) return;
  NoteUnsent();
  connection_->StopSending(id, static_cast<uint64_t>(code));
}

}  // namespace sluice
