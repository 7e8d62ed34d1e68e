#ifndef QUIC_CONNECTION_SEND_SHARE_H_
#define QUIC_CONNECTION_SEND_SHARE_H_

#include <array>
#include <cstddef>
#include <cstdint>

namespace sluice {

class SendStock;

// Hears that there is room in a pool.
class SendRoomReceiver {
 public:
  virtual ~SendRoomReceiver() = default;
  // Something that its share waited for can be had now. May be called while another connection
  // gives something back: notes it, and takes it later.
  virtual void OnRoom() = 0;
};

// What a pool is made of.
enum class SendResource : uint8_t { kStream, kBlock };
inline constexpr size_t kSendResourceCount = 2;

// One connection's part of a pool: how much of it it may have, has, and waits for. Waits for one
// stream and one block at most; what it is promised then nobody else gets.
class SendShare {
 public:
  // At most so many at a time; at least one of each. Both outlive the share.
  SendShare(SendStock& stock, size_t max_streams, size_t max_blocks, SendRoomReceiver& receiver);
  // Has given back what it had.
  ~SendShare();
  SendShare(const SendShare&) = delete;
  SendShare& operator=(const SendShare&) = delete;

  // Whether one can be had right now.
  bool MayTake(SendResource resource) const;
  // Its receiver is to hear when that is so. Taking one in vain does the same.
  void Await(SendResource resource);
  // Gives up what is promised and was not taken: it is the next one's.
  void ReleasePromises();
  // Waits for nothing any more.
  void Withdraw();

  size_t used(SendResource resource) const { return PartOf(resource).used; }

 private:
  friend class SendStock;

  struct Part {
    size_t max = 0;
    size_t used = 0;
    // Has all that it may have, and wants more.
    bool full = false;
    // Is among those who wait, between these two.
    bool waits = false;
    SendShare* before = nullptr;
    SendShare* after = nullptr;
    // One is kept for it.
    bool promised = false;
  };

  Part& PartOf(SendResource resource) { return parts_[static_cast<size_t>(resource)]; }
  const Part& PartOf(SendResource resource) const { return parts_[static_cast<size_t>(resource)]; }

  SendStock& stock_;
  SendRoomReceiver& receiver_;
  std::array<Part, kSendResourceCount> parts_;
};

// How much there is in a pool, and whose turn it is. When there is nothing left, connections wait
// in a line: what comes back is promised to the first one, and who came later cannot take it. One
// that wants still more is the last one then, so that all get one in turn. Each step costs the same
// however many wait. One thread; outlives its shares.
class SendStock {
 public:
  struct Counters {
    // None was free that was not promised.
    uint64_t no_stream = 0;
    uint64_t no_block = 0;
    // A connection had its share already.
    uint64_t streams_over_share = 0;
    uint64_t blocks_over_share = 0;
  };

  SendStock(size_t streams, size_t blocks);
  SendStock(const SendStock&) = delete;
  SendStock& operator=(const SendStock&) = delete;

  // Whether one more is `share`'s; if not, that is counted, and it waits.
  bool Take(SendShare& share, SendResource resource);
  // One that it had comes back.
  void Return(SendShare& share, SendResource resource);

  // Also those that are promised.
  size_t free(SendResource resource) const { return ShelfOf(resource).free; }
  const Counters& counters() const { return counters_; }

 private:
  friend class SendShare;

  struct Shelf {
    size_t free = 0;
    size_t promised = 0;
    // Those who wait. If any do, all that is free is promised.
    SendShare* first = nullptr;
    SendShare* last = nullptr;
  };

  Shelf& ShelfOf(SendResource resource) { return shelves_[static_cast<size_t>(resource)]; }
  const Shelf& ShelfOf(SendResource resource) const {
    return shelves_[static_cast<size_t>(resource)];
  }

  // Promises what is free to those who wait.
  void Promise(SendResource resource);
  void Enqueue(SendShare& share, SendResource resource);
  void Dequeue(SendShare& share, SendResource resource);

  std::array<Shelf, kSendResourceCount> shelves_;
  Counters counters_;
};

}  // namespace sluice

#endif  // QUIC_CONNECTION_SEND_SHARE_H_
