#include "interceptor/testing/chain_harness.h"

#include <optional>
#include <utility>

#include "absl/types/span.h"
#include "base/byte_order.h"
#include "base/check.h"
#include "interceptor/intercepted_packet.h"

namespace sluice {
namespace {

std::vector<uint8_t> Copy(const PacketLoan& packet) {
  return std::vector<uint8_t>(packet.bytes().begin(), packet.bytes().end());
}

std::vector<std::unique_ptr<Interceptor>> One(std::unique_ptr<Interceptor> interceptor) {
  std::vector<std::unique_ptr<Interceptor>> list;
  list.push_back(std::move(interceptor));
  return list;
}

}  // namespace

ChainHarness::ChainHarness(std::vector<std::unique_ptr<Interceptor>> interceptors,
                           const ChainHarnessOptions& options)
    : packets_(options.packet_slots),
      attributes_(options.attributes),
      outbox_(options.outbox, packets_, attributes_) {
  auto chain = InterceptorChain::Create(std::move(interceptors), options.chain);
  SLUICE_CHECK(chain.ok()) << chain.status();
  chain_ = *std::move(chain);
}

ChainHarness::ChainHarness(std::unique_ptr<Interceptor> interceptor,
                           const ChainHarnessOptions& options)
    : ChainHarness(One(std::move(interceptor)), options) {}

template <auto kCall, typename Row>
ChainOutput ChainHarness::Pass(Timestamp now, const std::vector<Bytes>& packets) {
  std::vector<PacketLoan> loans(packets.size());
  std::vector<Row> rows;
  for (size_t i = 0; i < packets.size(); ++i) {
    loans[i] = packets_.Lend();
    SLUICE_CHECK(loans[i] && loans[i].Resize(packets[i].size())) << "packet " << i;
    CopyBytes(loans[i].bytes(), packets[i]);
    const std::optional<Row> row = Row::Of(loans[i]);
    SLUICE_CHECK(row.has_value()) << "packet " << i;
    rows.push_back(*row);
  }
  ChainOutput output;
  for (const Row& row : ((*chain_).*kCall)(now, absl::MakeSpan(rows), outbox_)) {
    output.passed.push_back(Copy(*row.packet));
  }
  Collect(output);
  return output;
}

void ChainHarness::Collect(ChainOutput& output) {
  for (const OutboxRtp& entry : outbox_.sends()) {
    if (entry.packet) {
      output.sent.push_back(Copy(entry.packet));
    }
  }
  for (const OutboxRtp& entry : outbox_.deliveries()) {
    if (entry.packet) {
      output.delivered.push_back(Copy(entry.packet));
    }
  }
  for (const PacketLoan& datagram : outbox_.rtcp()) {
    if (datagram) {
      output.rtcp.push_back(Copy(datagram));
    }
  }
  output.events.assign(outbox_.events().begin(), outbox_.events().end());
  outbox_.EndBatch();
}

ChainOutput ChainHarness::IncomingRtp(Timestamp now, const std::vector<Bytes>& packets) {
  return Pass<&InterceptorChain::OnIncomingRtp, InterceptedRtp>(now, packets);
}

ChainOutput ChainHarness::OutgoingRtp(Timestamp now, const std::vector<Bytes>& packets) {
  return Pass<&InterceptorChain::OnOutgoingRtp, InterceptedRtp>(now, packets);
}

ChainOutput ChainHarness::IncomingRtcp(Timestamp now, const std::vector<Bytes>& packets) {
  return Pass<&InterceptorChain::OnIncomingRtcp, InterceptedRtcp>(now, packets);
}

ChainOutput ChainHarness::OutgoingRtcp(Timestamp now, const std::vector<Bytes>& packets) {
  return Pass<&InterceptorChain::OnOutgoingRtcp, InterceptedRtcp>(now, packets);
}

ChainOutput ChainHarness::Event(Timestamp now, const InterceptorEvent& event) {
  chain_->OnEvent(now, event, outbox_);
  ChainOutput output;
  Collect(output);
  return output;
}

ChainOutput ChainHarness::Timeout(Timestamp now) {
  chain_->OnTimeout(now, outbox_);
  ChainOutput output;
  Collect(output);
  return output;
}

}  // namespace sluice
