// Any bytes to what rewrites headers: encryption of extension elements (RFC 6904) and cryptex
// (RFC 9335). Nothing is written that is not to be, and all of it can be undone.
//
// The first byte says which suite (low four bits, in the order of kCipherSuites) and how many CSRCs
// an extension's header is to be moved over (high four). 32 bytes say which ids are encrypted. The
// rest is the packet.

#include <algorithm>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <vector>

#include "absl/types/span.h"
#include "base/byte_order.h"
#include "base/check.h"
#include "base/testing/seeded_random.h"
#include "srtp/cipher_suite.h"
#include "srtp/cryptex.h"
#include "srtp/header_extension_cipher.h"
#include "srtp/key_derivation.h"
#include "srtp/master_key.h"
#include "srtp/packet_arena.h"
#include "srtp/rtp_packet_view.h"
#include "srtp/rtp_types.h"

namespace sluice {
namespace {

using Bytes = std::vector<uint8_t>;

constexpr size_t kIdBytes = 32;
constexpr size_t kChoiceBytes = 1 + kIdBytes;

EncryptedExtensionIds ReadIds(absl::Span<const uint8_t> bytes) {
  EncryptedExtensionIds ids;
  for (size_t id = 0; id < ids.size(); ++id) {
    ids.set(id, (bytes[id / 8] >> (id % 8) & 1) != 0);
  }
  return ids;
}

// True for the bytes of the packet that belong to the data of an element with one of `ids`.
std::vector<bool> Mask(const RtpPacketView& view, const EncryptedExtensionIds& ids) {
  std::vector<bool> mask(view.bytes().size());
  view.ForEachExtension([&](uint8_t id, absl::Span<const uint8_t> data) {
    const ptrdiff_t begin = data.data() - view.bytes().data();
    if (ids[id]) {
      std::fill_n(mask.begin() + begin, data.size(), true);
    }
  });
  return mask;
}

void EncryptElements(const CipherSuite& suite, const EncryptedExtensionIds& ids,
                     absl::Span<const uint8_t> packet) {
  // The same keys for every input.
  SeededRandom random(0);
  const HeaderExtensionCipher cipher(suite,
                                     DeriveHeaderKeys(MasterKey::Generate(suite.id, random)));
  Bytes bytes(packet.begin(), packet.end());
  const auto crypt = [&] { cipher.Crypt(absl::MakeSpan(bytes), Ssrc(1), PacketIndex(2), ids); };
  crypt();
  const std::optional<RtpPacketView> view = RtpPacketView::ParseHeader(packet);
  const std::vector<bool> mask =
      view.has_value() ? Mask(*view, ids) : std::vector<bool>(packet.size());
  for (size_t i = 0; i < packet.size(); ++i) {
    SLUICE_CHECK(mask[i] || bytes[i] == packet[i]) << "byte " << i;
  }
  if (view.has_value()) {
    // The walk is the same over what is encrypted.
    SLUICE_CHECK(Mask(*RtpPacketView::ParseHeader(bytes), ids) == mask);
  }
  crypt();
  SLUICE_CHECK(absl::MakeConstSpan(bytes) == packet);
}

void MoveExtensionHeader(size_t csrc_count, absl::Span<const uint8_t> packet) {
  Bytes bytes(packet.begin(), packet.end());
  MoveExtensionHeaderForward(absl::MakeSpan(bytes), csrc_count);
  MoveExtensionHeaderBack(absl::MakeSpan(bytes), csrc_count);
  SLUICE_CHECK(absl::MakeConstSpan(bytes) == packet);
}

// What came from the network, marked or not.
void Unmark(absl::Span<const uint8_t> packet) {
  Bytes bytes(packet.begin(), packet.end());
  UnmarkCryptex(absl::MakeSpan(bytes));
  const std::optional<RtpPacketView> before = RtpPacketView::ParseHeader(packet);
  if (!before.has_value() || !IsCryptex(*before)) {
    SLUICE_CHECK(absl::MakeConstSpan(bytes) == packet);
    return;
  }
  const std::optional<RtpPacketView> after = RtpPacketView::ParseHeader(bytes);
  SLUICE_CHECK(after.has_value() && !IsCryptex(*after) && CanBeCryptex(*after));
  SLUICE_CHECK(after->header_size() == before->header_size());
  SLUICE_CHECK(after->extension_data() == before->extension_data());
  SLUICE_CHECK(after->payload() == before->payload());
}

// A plain packet: marked, made ready for encryption, and all of it undone.
void Mark(absl::Span<const uint8_t> packet) {
  PacketArena arena(1);
  PacketLoan loan = arena.Lend();
  SLUICE_CHECK(loan.Resize(packet.size()));
  CopyBytes(loan.bytes(), packet);
  const std::optional<RtpPacketView> before = RtpPacketView::ParseHeader(packet);
  const size_t header_size = MarkCryptex(loan);
  if (header_size == 0) {
    SLUICE_CHECK(!before.has_value() || !CanBeCryptex(*before));
    SLUICE_CHECK(absl::MakeConstSpan(loan.bytes()) == packet);
    return;
  }
  const std::optional<RtpPacketView> marked = RtpPacketView::ParseHeader(loan.bytes());
  SLUICE_CHECK(marked.has_value() && IsCryptex(*marked) && !CanBeCryptex(*marked));
  SLUICE_CHECK(marked->header_size() == header_size);
  SLUICE_CHECK(marked->payload() == before->payload());
  MoveExtensionHeader(marked->csrc_count(), loan.bytes());
  Unmark(loan.bytes());

  UnmarkCryptex(loan.bytes());
  if (NeedsCryptexExtension(*before)) {
    // One that is empty stays.
    SLUICE_CHECK(loan.size() == packet.size() + kRtpExtensionHeaderSize);
    SLUICE_CHECK(RtpPacketView::ParseHeader(loan.bytes())->extension_data().empty());
  } else {
    SLUICE_CHECK(absl::MakeConstSpan(loan.bytes()) == packet);
  }
}

}  // namespace
}  // namespace sluice

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < sluice::kChoiceBytes) {
    return 0;
  }
  const absl::Span<const uint8_t> input(data, size);
  const absl::Span<const uint8_t> packet =
      input.subspan(sluice::kChoiceBytes, sluice::kMaxDatagramSize);
  const sluice::CipherSuite& suite =
      sluice::kCipherSuites[(data[0] & 15) % std::size(sluice::kCipherSuites)];
  sluice::EncryptElements(suite, sluice::ReadIds(input.subspan(1, sluice::kIdBytes)), packet);
  sluice::MoveExtensionHeader(data[0] >> 4, packet);
  sluice::Unmark(packet);
  sluice::Mark(packet);
  return 0;
}
