#include "interceptor/pacer/probe_run.h"

#include <algorithm>

namespace sluice {
namespace {

// A packet of a probe that goes so much too late spoils it.
constexpr TimeDelta kMaxDelay = TimeDelta::Millis(20);
// A probe that could not begin for so long answers a question that nobody asks any more.
constexpr TimeDelta kMaxWait = TimeDelta::Seconds(2);

}  // namespace

void ProbeRun::Add(Timestamp now, const ProbeWanted& probe) {
  if (probe.cluster == 0 || probe.rate <= DataRate::Zero() || !waiting_.PushBack({probe, now})) {
    ++refused_;
  }
}

void ProbeRun::Next() {
  waiting_.PopFront();
  begun_.reset();
  sent_ = DataSize::Zero();
  packets_ = 0;
  next_send_ = Timestamp::MinusInfinity();
}

DataSize ProbeRun::remaining() const {
  if (waiting_.empty()) {
    return DataSize::Bytes(1);
  }
  const ProbeWanted& probe = waiting_.front().probe;
  return std::max(probe.rate * probe.duration - sent_, DataSize::Bytes(1));
}

void ProbeRun::OnTime(Timestamp now) {
  while (!waiting_.empty()) {
    const bool late =
        begun_.has_value() ? now - next_send_ > kMaxDelay : now - waiting_.front().added > kMaxWait;
    if (!late) {
      return;
    }
    GiveUp();
  }
}

void ProbeRun::GiveUp() {
  if (!waiting_.empty()) {
    ++given_up_;
    Next();
  }
}

void ProbeRun::OnSent(Timestamp now, DataSize size) {
  if (waiting_.empty()) {
    return;
  }
  if (!begun_.has_value()) {
    begun_ = now;
  }
  sent_ += size;
  ++packets_;
  const ProbeWanted& probe = waiting_.front().probe;
  next_send_ = *begun_ + sent_ / probe.rate;
  if (packets_ >= kMinPackets && sent_ >= probe.rate * probe.duration) {
    ++finished_;
    Next();
  }
}

}  // namespace sluice
