#include "quic/calls/connection_rpc_streams.h"

#include "quic/connection/quic_connection.h"
#include "quic/rpc/rpc_error_code.h"

namespace sluice {

size_t ConnectionRpcStreams::Write(RpcStreamId id, absl::Span<const uint8_t> bytes, bool fin) {
  if (connection_ == nullptr) return 0;
  NoteUnsent();
  return connection_->Write(id, bytes, fin);
}

void ConnectionRpcStreams::Reset(RpcStreamId id, RpcErrorCode code) {
  if (connection_ == nullptr) return;
  NoteUnsent();
  connection_->Reset(id, static_cast<uint64_t>(code));
}

void ConnectionRpcStreams::StopSending(RpcStreamId id, RpcErrorCode code) {
  if (connection_ == nullptr) return;
  NoteUnsent();
  connection_->StopSending(id, static_cast<uint64_t>(code));
}

std::optional<RpcStreamId> ConnectionRpcStreams::Open() {
  if (connection_ == nullptr) return std::nullopt;
  return connection_->OpenBidirectional();
}

void ConnectionRpcStreams::Consume(RpcStreamId id, size_t size) {
  if (connection_ == nullptr || size == 0) return;
  NoteUnsent();
  connection_->Consume(id, size);
}

}  // namespace sluice
