#include "interceptor/rtcp_assembler.h"

#include <algorithm>
#include <array>
#include <utility>

#include "absl/strings/string_view.h"
#include "base/byte_order.h"
#include "base/check.h"
#include "interceptor/rtcp/receiver_report.h"
#include "srtp/rtcp_packet_view.h"

namespace sluice {
namespace {

bool IsReport(absl::Span<const uint8_t> packet) {
  return packet.size() >= kRtcpFirstHeaderSize &&
         (packet[1] == kRtcpSenderReport || packet[1] == kRtcpReceiverReport);
}

size_t SdesSize(size_t sources, size_t cname_size) {
  return kRtcpHeaderSize + sources * SdesCnameChunkSize(cname_size);
}

static_assert(kRtcpFirstHeaderSize + kRtcpHeaderSize + SdesCnameChunkSize(kMaxCnameSize) +
                      kMaxRtcpPacketSize <=
                  kMaxRtcpDatagramSize,
              "the longest packet finds room behind an empty report and the longest CNAME");

// Who reports in one datagram; each is named once.
class Reporters {
 public:
  explicit Reporters(absl::string_view cname) : cname_(cname) {}

  bool full() const { return size_ == kMaxSdesChunks; }
  size_t size() const { return size_; }
  absl::Span<const SdesCname> sources() const { return absl::MakeSpan(sources_).first(size_); }
  void Clear() { size_ = 0; }
  void Add(Ssrc ssrc) {
    const auto end = sources_.begin() + static_cast<ptrdiff_t>(size_);
    if (std::none_of(sources_.begin(), end,
                     [=](const SdesCname& source) { return source.ssrc == ssrc; })) {
      sources_[size_++] = {ssrc, cname_};
    }
  }

 private:
  const absl::string_view cname_;
  std::array<SdesCname, kMaxSdesChunks> sources_;
  size_t size_ = 0;
};

}  // namespace

void RtcpAssembler::Assemble(InterceptorOutbox& out) const {
  if (out.staged_.empty()) {
    return;
  }
  Open open = AddReports(out);
  for (size_t i = 0; i < out.staged_.size(); ++i) {
    const absl::Span<const uint8_t> packet = out.staged(i);
    if (IsReport(packet)) {
      continue;
    }
    if (open.packet && packet.size() > open.builder.room().size()) {
      Close(open, out);
    }
    if (!open.packet) {
      open = Begin(out);
      if (open.packet && policy_.mode == RtcpMode::kCompound) {
        AddPrefix(open);
      }
    }
    if (!open.packet || open.builder.Add(packet) != AddRtcpVerdict::kOk) {
      ++out.rtcp_dropped_;
    }
  }
  Close(open, out);
  out.staged_.clear();
  out.staging_used_ = 0;
}

RtcpAssembler::Open RtcpAssembler::AddReports(InterceptorOutbox& out) const {
  Open open = {PacketLoan(), CompoundBuilder(policy_.mode, {})};
  Reporters reporters(policy_.cname);
  for (size_t i = 0; i < out.staged_.size(); ++i) {
    const absl::Span<const uint8_t> packet = out.staged(i);
    if (!IsReport(packet)) {
      continue;
    }
    const size_t size = packet.size() + SdesSize(reporters.size() + 1, policy_.cname.size());
    if (open.packet && (reporters.full() || size > open.builder.room().size())) {
      AddCnames(reporters.sources(), open);
      reporters.Clear();
      Close(open, out);
    }
    if (!open.packet) {
      open = Begin(out);
    }
    if (!open.packet || open.builder.Add(packet) != AddRtcpVerdict::kOk) {
      ++out.rtcp_dropped_;
      continue;
    }
    reporters.Add(Ssrc(LoadBe32(packet.data() + kRtcpHeaderSize)));
  }
  if (open.packet) {
    AddCnames(reporters.sources(), open);
  }
  return open;
}

RtcpAssembler::Open RtcpAssembler::Begin(InterceptorOutbox& out) const {
  PacketLoan packet = out.packets_.Lend();
  if (!packet) {
    return {PacketLoan(), CompoundBuilder(policy_.mode, {})};
  }
  SLUICE_CHECK(packet.Resize(kMaxRtcpDatagramSize));
  // The slot stays where it is when the loan moves.
  CompoundBuilder builder(policy_.mode, packet.bytes());
  return {std::move(packet), builder};
}

void RtcpAssembler::Close(Open& open, InterceptorOutbox& out) {
  if (!open.packet) {
    return;
  }
  const size_t size = open.builder.Finish();
  if (size == 0) {
    // Every packet in it was refused, and counted.
    open.packet.Return();
    return;
  }
  SLUICE_CHECK(open.packet.Resize(size));
  out.rtcp_.push_back(std::move(open.packet));
}

void RtcpAssembler::AddCnames(absl::Span<const SdesCname> sources, Open& open) const {
  if (sources.empty()) {
    return;
  }
  if (open.builder.Commit(WriteSdes(sources, open.builder.room())) != AddRtcpVerdict::kOk) {
    SLUICE_BUG(rtcp_without_cname);
  }
}

void RtcpAssembler::AddPrefix(Open& open) const {
  const size_t size = WriteReceiverReport(policy_.ssrc, {}, open.builder.room());
  if (open.builder.Commit(size) != AddRtcpVerdict::kOk) {
    SLUICE_BUG(rtcp_without_report);
  }
  const SdesCname source = {policy_.ssrc, policy_.cname};
  AddCnames(absl::MakeConstSpan(&source, 1), open);
}

}  // namespace sluice
