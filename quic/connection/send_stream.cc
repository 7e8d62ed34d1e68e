#include "quic/connection/send_stream.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "absl/types/span.h"
#include "base/byte_order.h"
#include "base/check.h"
#include "quic/connection/send_share.h"

namespace sluice {

struct SendStream::Block {
  Block* next = nullptr;
  std::array<uint8_t, SendStreamPool::kBlockSize> bytes;
};

size_t SendStream::Append(absl::Span<const uint8_t> bytes, size_t max_kept) {
  SLUICE_DCHECK(!fin_);
  const uint64_t room = max_kept > kept() ? max_kept - kept() : 0;
  absl::Span<const uint8_t> rest = bytes.first(std::min<uint64_t>(bytes.size(), room));
  const uint64_t before = end_;
  while (!rest.empty()) {
    const size_t used = static_cast<size_t>((end_ - first_offset_) % SendStreamPool::kBlockSize);
    if (first_ == nullptr || used == 0) {
      Block* block = pool_->TakeBlock(*share_);
      if (block == nullptr) break;
      if (first_ == nullptr) {
        first_ = block;
        first_offset_ = end_;
      } else {
        last_->next = block;
      }
      last_ = block;
    }
    const absl::Span<uint8_t> place = absl::MakeSpan(last_->bytes).subspan(used);
    const size_t size = std::min(place.size(), rest.size());
    CopyBytes(place, rest.first(size));
    rest.remove_prefix(size);
    end_ += size;
  }
  const auto taken = static_cast<size_t>(end_ - before);
  if (taken < bytes.size()) wants_room = true;
  return taken;
}

size_t SendStream::Unsent(std::array<Piece, kMaxPieces>& pieces) const {
  uint64_t block_offset = first_offset_;
  size_t count = 0;
  for (const Block* block = first_; block != nullptr && count < kMaxPieces; block = block->next) {
    const uint64_t block_end = std::min(block_offset + SendStreamPool::kBlockSize, end_);
    if (block_end > sent_) {
      const uint64_t from = std::max(sent_, block_offset);
      pieces[count++] = {block->bytes.data() + (from - block_offset),
                         static_cast<size_t>(block_end - from)};
    }
    block_offset += SendStreamPool::kBlockSize;
  }
  return count;
}

bool SendStream::FinFollows(absl::Span<const Piece> pieces) const {
  uint64_t size = 0;
  for (const Piece& piece : pieces) size += piece.size;
  return fin_ && sent_ + size == end_;
}

void SendStream::Sent(size_t size, bool with_fin) {
  sent_ += size;
  SLUICE_DCHECK(sent_ <= end_);
  if (with_fin && sent_ == end_) fin_sent_ = true;
}

void SendStream::Acknowledge(uint64_t offset) {
  // Never more than was sent: ngtcp2 only counts its own.
  acked_ = std::max(acked_, std::min(offset, sent_));
  while (first_ != nullptr &&
         std::min(first_offset_ + SendStreamPool::kBlockSize, end_) <= acked_) {
    // A block that is not full yet is written on.
    if (first_offset_ + SendStreamPool::kBlockSize > end_ && !fin_) break;
    Block* gone = first_;
    first_ = gone->next;
    if (first_ == nullptr) last_ = nullptr;
    first_offset_ += SendStreamPool::kBlockSize;
    pool_->GiveBackBlock(*share_, *gone);
  }
}

void SendStream::Release() {
  while (first_ != nullptr) {
    Block* gone = first_;
    first_ = gone->next;
    pool_->GiveBackBlock(*share_, *gone);
  }
  last_ = nullptr;
}

SendStreamPool::SendStreamPool(size_t streams, size_t blocks)
    : streams_(streams), blocks_(blocks), stock_(streams, blocks) {
  for (SendStream& stream : streams_) {
    stream.pool_ = this;
    stream.next = free_streams_;
    free_streams_ = &stream;
  }
  for (SendStream::Block& block : blocks_) {
    block.next = free_blocks_;
    free_blocks_ = &block;
  }
}

SendStreamPool::~SendStreamPool() = default;

SendStream* SendStreamPool::Take(SendShare& share, int64_t id) {
  if (!stock_.Take(share, SendResource::kStream)) return nullptr;
  SendStream* stream = free_streams_;
  free_streams_ = stream->next;
  stream->next = nullptr;
  stream->id_ = id;
  stream->share_ = &share;
  return stream;
}

void SendStreamPool::GiveBack(SendStream& stream) {
  SendShare& share = *stream.share_;
  stream.Release();
  stream.share_ = nullptr;
  stream.id_ = -1;
  stream.first_offset_ = stream.acked_ = stream.sent_ = stream.end_ = 0;
  stream.fin_ = stream.fin_sent_ = stream.blocked = stream.shut = false;
  stream.stopped = stream.wants_room = false;
  stream.next = free_streams_;
  free_streams_ = &stream;
  stock_.Return(share, SendResource::kStream);
}

SendStream::Block* SendStreamPool::TakeBlock(SendShare& share) {
  if (!stock_.Take(share, SendResource::kBlock)) return nullptr;
  SendStream::Block* block = free_blocks_;
  free_blocks_ = block->next;
  block->next = nullptr;
  return block;
}

void SendStreamPool::GiveBackBlock(SendShare& share, SendStream::Block& block) {
  block.next = free_blocks_;
  free_blocks_ = &block;
  stock_.Return(share, SendResource::kBlock);
}

}  // namespace sluice
