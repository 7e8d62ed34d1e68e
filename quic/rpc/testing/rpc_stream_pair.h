#ifndef QUIC_RPC_TESTING_RPC_STREAM_PAIR_H_
#define QUIC_RPC_TESTING_RPC_STREAM_PAIR_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>

#include "absl/types/span.h"
#include "base/random_source.h"
#include "base/timestamp.h"
#include "quic/rpc/rpc_client.h"
#include "quic/rpc/rpc_error_code.h"
#include "quic/rpc/rpc_server.h"
#include "quic/rpc/rpc_streams.h"

namespace sluice {

// A client and a server with nothing but streams between them, in memory: what is written arrives
// in order on its stream, in parts of any size, while streams overtake each other. Loses nothing.
class RpcStreamPair {
 public:
  // `window`: bytes that may be on their way on one stream in one direction.
  explicit RpcStreamPair(size_t window) : window_(window), client_end_(*this), server_end_(*this) {}

  RpcClientStreams& client_streams() { return client_end_; }
  RpcStreams& server_streams() { return server_end_; }
  // Who hears of it. Must be said before anything is written.
  void Attach(RpcClient& client, RpcServer& server);

  // Lets one thing arrive, chosen at random: up to `part` bytes, an end, a reset. False when there
  // is nothing under way.
  bool Step(Timestamp now, RandomSource& random, size_t part);
  // ... until there is nothing.
  void Run(Timestamp now, RandomSource& random, size_t part);

  // While true, nothing arrives at the client, and its windows fill.
  void HoldAnswers(bool hold) { hold_answers_ = hold; }

 private:
  // What is under way in one direction of a stream.
  struct Direction {
    std::deque<uint8_t> bytes;
    bool fin = false;
    bool ended = false;
    bool blocked = false;
    // From the sender, and from the receiver.
    std::optional<RpcErrorCode> reset;
    std::optional<RpcErrorCode> stop;
    bool stop_told = false;

    bool HasForReceiver() const { return !ended && (!bytes.empty() || fin || reset.has_value()); }
  };
  struct Stream {
    bool opened = false;
    Direction to_server;
    Direction to_client;
  };

  class ClientEnd : public RpcClientStreams {
   public:
    explicit ClientEnd(RpcStreamPair& pair) : pair_(pair) {}
    size_t Write(RpcStreamId id, absl::Span<const uint8_t> bytes, bool fin) override;
    void Reset(RpcStreamId id, RpcErrorCode code) override;
    void StopSending(RpcStreamId id, RpcErrorCode code) override;
    std::optional<RpcStreamId> Open() override;

   private:
    RpcStreamPair& pair_;
    RpcStreamId next_ = 0;
  };
  class ServerEnd : public RpcStreams {
   public:
    explicit ServerEnd(RpcStreamPair& pair) : pair_(pair) {}
    size_t Write(RpcStreamId id, absl::Span<const uint8_t> bytes, bool fin) override;
    void Reset(RpcStreamId id, RpcErrorCode code) override;
    void StopSending(RpcStreamId id, RpcErrorCode code) override;

   private:
    RpcStreamPair& pair_;
  };

  size_t Write(Direction& to, absl::Span<const uint8_t> bytes, bool fin) const;
  static void Reset(Direction& to, RpcErrorCode code);
  bool HasAnything(const Direction& direction) const;
  void DeliverToServer(Timestamp now, RpcStreamId id, Stream& stream, size_t size);
  void DeliverToClient(RpcStreamId id, Stream& stream, size_t size);
  // What the sender of a direction hears: that there is room, or that nobody listens. Whether there
  // was such a thing.
  bool TellSender(Timestamp now, RpcStreamId id, Direction& direction, bool is_client);

  const size_t window_;
  ClientEnd client_end_;
  ServerEnd server_end_;
  RpcClient* client_ = nullptr;
  RpcServer* server_ = nullptr;
  bool hold_answers_ = false;
  std::map<RpcStreamId, Stream> streams_;
};

}  // namespace sluice

#endif  // QUIC_RPC_TESTING_RPC_STREAM_PAIR_H_
