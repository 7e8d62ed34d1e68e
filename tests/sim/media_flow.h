#ifndef TESTS_SIM_MEDIA_FLOW_H_
#define TESTS_SIM_MEDIA_FLOW_H_

#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "base/data_rate.h"
#include "base/data_size.h"
#include "base/random_source.h"
#include "base/time_delta.h"
#include "base/timestamp.h"
#include "interceptor/bwe/bandwidth_estimator.h"
#include "interceptor/pacer/pacer.h"
#include "interceptor/testing/chain_harness.h"

namespace sluice {

enum class FlowFeedback : uint8_t { kTransportWide, kRfc8888 };

struct MediaFlowOptions {
  FlowFeedback feedback = FlowFeedback::kTransportWide;
  // What the source makes at most, however high the target.
  DataRate source_limit = DataRate::PlusInfinity();
  // How long feedback takes.
  TimeDelta back_delay = TimeDelta::Millis(25);
};

// A video source that follows its target, a chain with pacer, estimator and feedback, and the chain
// of its receiver. What is between them is the caller's. In virtual time.
class MediaFlow {
 public:
  using Bytes = std::vector<uint8_t>;

  // `random` outlives the flow.
  MediaFlow(const MediaFlowOptions& options, RandomSource& random);

  // Does everything due; what is to go over the link.
  std::vector<Bytes> Send(Timestamp now);
  // What came over the link.
  void Receive(Timestamp now, const std::vector<Bytes>& packets);

  // What the source may make.
  DataRate target() const { return target_; }
  // Of all packets that arrived, probes too.
  DataSize received() const { return received_; }
  const SendSideEstimator& estimator() const { return estimator_->estimator(); }
  const Pacer& pacer() const { return *pacer_; }

 private:
  struct Feedback {
    Timestamp arrives;
    Bytes datagram;
  };

  static std::unique_ptr<Interceptor> MakeFeedback(FlowFeedback feedback);
  void AddStreams(ChainHarness& harness, PacketDirection direction);
  void TakeFrame(Timestamp now, std::vector<Bytes>& sent);
  void Collect(ChainOutput output, std::vector<Bytes>& sent);
  void QueueFeedback(Timestamp now, const ChainOutput& output);

  const MediaFlowOptions options_;
  RandomSource& random_;
  std::unique_ptr<ChainHarness> sender_;
  std::unique_ptr<ChainHarness> receiver_;
  BandwidthEstimator* estimator_;
  Pacer* pacer_;
  DataRate target_;
  Timestamp next_frame_ = Timestamp::MinusInfinity();
  uint16_t sequence_ = 0;
  uint32_t timestamp_ = 0;
  DataSize received_ = DataSize::Zero();
  std::deque<Feedback> feedback_;
};

}  // namespace sluice

#endif  // TESTS_SIM_MEDIA_FLOW_H_
