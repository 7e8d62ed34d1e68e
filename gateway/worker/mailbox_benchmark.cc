#include <atomic>
#include <cstdint>
#include <optional>
#include <thread>
#include <utility>

#include "base/check.h"
#include "benchmark/benchmark.h"
#include "gateway/io/wakeup.h"
#include "gateway/worker/mailbox.h"

namespace sluice {
namespace {

// What the worker pays per turn for looking into an empty mailbox.
void BM_TakeNothing(benchmark::State& state) {
  Wakeup wakeup = Wakeup::Create().value();
  Mailbox mailbox(1024, wakeup);
  for (auto _ : state) benchmark::DoNotOptimize(mailbox.Take());
}
BENCHMARK(BM_TakeNothing);

// A command posted and run on one thread, the signal (a write to an eventfd) included.
void BM_PostAndRun(benchmark::State& state) {
  Wakeup wakeup = Wakeup::Create().value();
  Mailbox mailbox(1024, wakeup);
  uint64_t ran = 0;
  for (auto _ : state) {
    SLUICE_CHECK(mailbox.Post([&ran] { ++ran; }) == Mailbox::PostResult::kPosted);
    std::optional<MailboxCommand> command = mailbox.Take();
    (*std::move(command))();
  }
  state.SetItemsProcessed(static_cast<int64_t>(ran));
}
BENCHMARK(BM_PostAndRun);

// Threads of the benchmark post against each other while one more takes.
class Contended : public benchmark::Fixture {
 protected:
  void SetUp(const benchmark::State& state) override {
    if (state.thread_index() == 0) {
      stop_ = false;
      taker_ = std::thread([this] {
        while (!stop_.load(std::memory_order_relaxed)) {
          std::optional<MailboxCommand> command = mailbox_.Take();
          if (command.has_value()) (*std::move(command))();
        }
      });
    }
  }
  void TearDown(const benchmark::State& state) override {
    if (state.thread_index() == 0) {
      stop_ = true;
      taker_.join();
    }
  }

  Wakeup wakeup_ = Wakeup::Create().value();
  Mailbox mailbox_{1024, wakeup_};
  std::atomic<bool> stop_{false};
  std::thread taker_;
};

BENCHMARK_DEFINE_F(Contended, BM_Post)(benchmark::State& state) {
  int64_t posted = 0;
  for (auto _ : state) {
    while (mailbox_.Post([] {}) != Mailbox::PostResult::kPosted) std::this_thread::yield();
    ++posted;
  }
  state.SetItemsProcessed(posted);
}
BENCHMARK_REGISTER_F(Contended, BM_Post)->Threads(1)->Threads(2)->Threads(4)->UseRealTime();

}  // namespace
}  // namespace sluice
