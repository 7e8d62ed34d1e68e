#ifndef QUIC_CONNECTION_SEND_STREAM_H_
#define QUIC_CONNECTION_SEND_STREAM_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "quic/connection/send_share.h"

namespace sluice {

class SendStreamPool;

// What is to be sent on one stream, kept until the peer has acknowledged it (ngtcp2 keeps no copy).
// Lives in a pool, which gives it and takes it back.
class SendStream {
 public:
  // A place and bytes, as ngtcp2 wants to have them pointed at.
  struct Piece {
    const uint8_t* data;
    size_t size;
  };
  // A datagram's worth is in no more blocks than this.
  static constexpr size_t kMaxPieces = 4;

  SendStream() = default;
  SendStream(const SendStream&) = delete;
  SendStream& operator=(const SendStream&) = delete;

  int64_t id() const { return id_; }

  // Appends as much of `bytes` as there is room for, in its connection's share and below `max_kept`
  // bytes kept; how much that is.
  size_t Append(absl::Span<const uint8_t> bytes, size_t max_kept);
  // Nothing comes after what was appended.
  void Finish() { fin_ = true; }
  bool finished() const { return fin_; }

  // Whether there is anything to send that was not sent yet.
  bool HasUnsent() const { return sent_ < end_ || (fin_ && !fin_sent_); }
  // The next unsent bytes, in up to kMaxPieces; how many pieces there are.
  size_t Unsent(std::array<Piece, kMaxPieces>& pieces) const;
  // Whether the fin may go with all that is unsent, of which `pieces` are the first bytes.
  bool FinFollows(absl::Span<const Piece> pieces) const;
  // `size` of the unsent bytes were sent, and the fin if it was to follow them.
  void Sent(size_t size, bool with_fin);
  // All bytes before `offset` have arrived: they are forgotten.
  void Acknowledge(uint64_t offset);

  // Bytes that are kept.
  uint64_t kept() const { return end_ - acked_; }

  // ---- For the connection that has it. ----

  // Next in its list.
  SendStream* next = nullptr;
  // Flow control or a reset stops it for now, or for good.
  bool blocked = false;
  bool shut = false;
  // The peer stopped it, and nobody has been told.
  bool stopped = false;
  // Append took less than it was given, and nobody has been told that there is room again.
  bool wants_room = false;

 private:
  friend class SendStreamPool;

  struct Block;

  void Release();

  SendStreamPool* pool_ = nullptr;
  // Of the connection that has it.
  SendShare* share_ = nullptr;
  int64_t id_ = -1;
  // Blocks from the one with byte acked_ to the one with byte end_ - 1.
  Block* first_ = nullptr;
  Block* last_ = nullptr;
  // Where the first byte of first_ stands in the stream.
  uint64_t first_offset_ = 0;
  uint64_t acked_ = 0;
  uint64_t sent_ = 0;
  uint64_t end_ = 0;
  bool fin_ = false;
  bool fin_sent_ = false;
};

// Streams and blocks of bytes for all connections of a thread, made at the beginning. Who may have
// them is what shares are about. One thread; outlives its shares.
class SendStreamPool {
 public:
  // Small, as a call and its answer are; four blocks are more than a datagram.
  static constexpr size_t kBlockSize = 1024;

  SendStreamPool(size_t streams, size_t blocks);
  ~SendStreamPool();
  SendStreamPool(const SendStreamPool&) = delete;
  SendStreamPool& operator=(const SendStreamPool&) = delete;

  // An empty stream, or null when `share`, which is one of stock(), may have none now; it waits
  // then.
  SendStream* Take(SendShare& share, int64_t id);
  // With all that it keeps.
  void GiveBack(SendStream& stream);

  SendStock& stock() { return stock_; }
  size_t free_blocks() const { return stock_.free(SendResource::kBlock); }
  size_t free_streams() const { return stock_.free(SendResource::kStream); }
  const SendStock::Counters& counters() const { return stock_.counters(); }

 private:
  friend class SendStream;

  SendStream::Block* TakeBlock(SendShare& share);
  void GiveBackBlock(SendShare& share, SendStream::Block& block);

  std::vector<SendStream> streams_;
  std::vector<SendStream::Block> blocks_;
  SendStream* free_streams_ = nullptr;
  SendStream::Block* free_blocks_ = nullptr;
  SendStock stock_;
};

}  // namespace sluice

#endif  // QUIC_CONNECTION_SEND_STREAM_H_
