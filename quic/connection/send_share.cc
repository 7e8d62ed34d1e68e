#include "quic/connection/send_share.h"

#include <cstddef>

#include "base/check.h"

namespace sluice {

SendShare::SendShare(SendStock& stock, size_t max_streams, size_t max_blocks,
                     SendRoomReceiver& receiver)
    : stock_(stock), receiver_(receiver) {
  SLUICE_DCHECK(max_streams > 0 && max_blocks > 0);
  PartOf(SendResource::kStream).max = max_streams;
  PartOf(SendResource::kBlock).max = max_blocks;
}

SendShare::~SendShare() {
  Withdraw();
  SLUICE_DCHECK(used(SendResource::kStream) == 0 && used(SendResource::kBlock) == 0);
}

bool SendShare::MayTake(SendResource resource) const {
  const Part& part = PartOf(resource);
  const SendStock::Shelf& shelf = stock_.ShelfOf(resource);
  return part.used < part.max && (part.promised || shelf.free > shelf.promised);
}

void SendShare::Await(SendResource resource) {
  Part& part = PartOf(resource);
  if (part.used >= part.max) {
    part.full = true;
  } else if (!part.waits && !part.promised) {
    stock_.Enqueue(*this, resource);
    // There may be some left.
    stock_.Promise(resource);
  }
}

void SendShare::ReleasePromises() {
  for (const SendResource resource : {SendResource::kStream, SendResource::kBlock}) {
    if (!PartOf(resource).promised) continue;
    PartOf(resource).promised = false;
    --stock_.ShelfOf(resource).promised;
    stock_.Promise(resource);
  }
}

void SendShare::Withdraw() {
  for (const SendResource resource : {SendResource::kStream, SendResource::kBlock}) {
    PartOf(resource).full = false;
    if (PartOf(resource).waits) stock_.Dequeue(*this, resource);
  }
  ReleasePromises();
}

// ---- Who gets what. ----

SendStock::SendStock(size_t streams, size_t blocks) {
  ShelfOf(SendResource::kStream).free = streams;
  ShelfOf(SendResource::kBlock).free = blocks;
}

bool SendStock::Take(SendShare& share, SendResource resource) {
  SendShare::Part& part = share.PartOf(resource);
  Shelf& shelf = ShelfOf(resource);
  const bool is_stream = resource == SendResource::kStream;
  if (!share.MayTake(resource)) {
    if (part.used >= part.max) {
      ++(is_stream ? counters_.streams_over_share : counters_.blocks_over_share);
    } else {
      ++(is_stream ? counters_.no_stream : counters_.no_block);
    }
    share.Await(resource);
    return false;
  }
  if (part.promised) {
    part.promised = false;
    --shelf.promised;
  }
  --shelf.free;
  ++part.used;
  return true;
}

void SendStock::Return(SendShare& share, SendResource resource) {
  SendShare::Part& part = share.PartOf(resource);
  ++ShelfOf(resource).free;
  --part.used;
  Promise(resource);
  if (!part.full) return;
  part.full = false;
  // It has its turn like any other if what came back is somebody else's.
  if (share.MayTake(resource)) {
    share.receiver_.OnRoom();
  } else {
    share.Await(resource);
  }
}

void SendStock::Promise(SendResource resource) {
  Shelf& shelf = ShelfOf(resource);
  while (shelf.first != nullptr && shelf.free > shelf.promised) {
    SendShare& share = *shelf.first;
    Dequeue(share, resource);
    share.PartOf(resource).promised = true;
    ++shelf.promised;
    share.receiver_.OnRoom();
  }
}

void SendStock::Enqueue(SendShare& share, SendResource resource) {
  Shelf& shelf = ShelfOf(resource);
  SendShare::Part& part = share.PartOf(resource);
  part.waits = true;
  part.before = shelf.last;
  part.after = nullptr;
  (shelf.last != nullptr ? shelf.last->PartOf(resource).after : shelf.first) = &share;
  shelf.last = &share;
}

void SendStock::Dequeue(SendShare& share, SendResource resource) {
  Shelf& shelf = ShelfOf(resource);
  SendShare::Part& part = share.PartOf(resource);
  SendShare*& to_it = part.before != nullptr ? part.before->PartOf(resource).after : shelf.first;
  SendShare*& back = part.after != nullptr ? part.after->PartOf(resource).before : shelf.last;
  to_it = part.after;
  back = part.before;
  part.before = part.after = nullptr;
  part.waits = false;
}

}  // namespace sluice
