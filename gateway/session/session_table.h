#ifndef GATEWAY_SESSION_SESSION_TABLE_H_
#define GATEWAY_SESSION_SESSION_TABLE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "base/timestamp.h"
#include "gateway/leg/chain_parts.h"
#include "gateway/leg/leg_snapshot.h"
#include "gateway/leg/leg_spec.h"
#include "gateway/session/byte_budget.h"
#include "gateway/session/outbox.h"
#include "gateway/session/received_datagram.h"
#include "gateway/session/session_spec.h"
#include "interceptor/interceptor_outbox.h"
#include "srtp/crypto/crypto_engine.h"
#include "srtp/packet_arena.h"

namespace sluice {

struct SessionTableLimits {
  size_t sessions = 0;
  size_t legs = 0;
  size_t legs_per_session = 0;
  // SSRCs per leg and direction, 1..1024.
  size_t streams_per_leg = 0;
  // Datagrams that are handled together; a longer batch is handled in portions.
  size_t receive_batch = 0;
  // Most ForwardingRule destinations of one leg.
  size_t destinations_per_leg = 0;
  // Bytes that all legs together take beyond what every leg may (Leg::ExtraBytes).
  size_t extra_srtp_bytes = 0;
  // Bytes that the interceptors of all legs take together, and packets that they keep beyond a
  // batch: slots of the arena that are there for nothing else.
  size_t interceptor_bytes = 0;
  size_t held_packets = 0;
};

// All sessions of one worker: an effect-free core that turns received datagrams into outgoing ones.
// Time and memory come in as arguments; nothing here reads a clock, touches a socket or waits.
// One thread. The calls that control makes may allocate; HandleBatch does not.
class SessionTable {
 public:
  // `arena`, `engine` and what `chains` points to outlive the table.
  SessionTable(const SessionTableLimits& limits, PacketArena& arena, CryptoEngine& engine,
               const ChainEnvironment& chains);
  ~SessionTable();

  // AlreadyExists, ResourceExhausted (limit "sessions").
  absl::Status CreateSession(Timestamp now, SessionSpec spec);
  absl::StatusOr<SessionSnapshot> GetSession(Timestamp now, absl::string_view session_id) const;
  absl::Status UpdateSession(Timestamp now, absl::string_view session_id,
                             const SessionUpdate& update);
  // Sockets of all its legs are in the answer, to be closed by the caller.
  absl::StatusOr<EndedSession> DeleteSession(Timestamp now, absl::string_view session_id);

  // NotFound, AlreadyExists, ResourceExhausted ("legs", "legs_per_session", "extra_srtp_kib",
  // "interceptor_kib", "held_packets"), InvalidArgument naming the field. On success packets of the
  // sockets in `local` belong to the returned handle; on an error nothing is kept.
  absl::StatusOr<LegHandle> AddLeg(Timestamp now, absl::string_view session_id, LegSpec spec,
                                   const LocalTransport& local);
  absl::StatusOr<LegSnapshot> GetLeg(Timestamp now, absl::string_view session_id,
                                     absl::string_view leg_id) const;
  // All or nothing. NotFound; InvalidArgument naming the field; ResourceExhausted
  // ("extra_srtp_kib", "interceptor_kib", "held_packets") and what else Leg::Update answers.
  absl::Status UpdateLeg(Timestamp now, absl::string_view session_id, absl::string_view leg_id,
                         LegUpdate update);
  // The sockets to close are in the snapshot's `local`.
  absl::StatusOr<LegSnapshot> RemoveLeg(Timestamp now, absl::string_view session_id,
                                        absl::string_view leg_id);
  // Replaces all rules, or none: NotFound; InvalidArgument ("rules[i].from_leg_id",
  // "rules[i].to_leg_ids[j]"); ResourceExhausted ("destinations_per_leg").
  absl::Status SetForwarding(absl::string_view session_id,
                             const std::vector<ForwardingRule>& rules);

  // Takes the packets of the batch; what goes out is appended to `out`.
  void HandleBatch(Timestamp now, absl::Span<ReceivedDatagram> batch, Outbox& out);
  // Does everything due at or before `now`: timeouts of sessions, retiring of old keys. A session
  // that should end while `out` has no room for its report is asked again a moment later.
  void HandleTimeout(Timestamp now, Outbox& out);
  // When HandleTimeout is next needed, or earlier; PlusInfinity: never.
  Timestamp NextTimeout() const;
  // How the kernel took the packets the outbox held, `sent` bytes each; unknown legs are ignored.
  void HandleSendResult(LegHandle leg, bool sent, size_t bytes);

  size_t session_count() const;
  size_t leg_count() const;
  // Of SessionTableLimits.
  BudgetUse extra_srtp() const;
  BudgetUse interceptor_bytes() const;
  BudgetUse held_packets() const;
  // Datagrams that came for legs that are gone.
  uint64_t stale_datagrams() const;
  // What interceptors of all legs made and there was no room for.
  InterceptorDrops interceptor_drops() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace sluice

#endif  // GATEWAY_SESSION_SESSION_TABLE_H_
