#include "harness/fiber.h"

#include <cxxabi.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cassert>
#include <new>

namespace causalcheck {

namespace {

#if defined(CAUSALCHECK_ADDRESS_SANITIZER) || defined(CAUSALCHECK_THREAD_SANITIZER)
constexpr std::size_t kStackBytes = 1024 * 1024;
#else
constexpr std::size_t kStackBytes = 256 * 1024;
#endif

std::size_t page_bytes() {
  static const auto bytes = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return bytes;
}

}  // namespace

Fiber::Fiber() {
#if defined(CAUSALCHECK_THREAD_SANITIZER)
  thread_sanitizer_fiber_ = __tsan_get_current_fiber();
#endif
}

Fiber::Fiber(Main main, void* argument) : life_(Life::kFresh), main_(main), argument_(argument) {
  const std::size_t guard = page_bytes();
  void* mapping = mmap(nullptr, guard + kStackBytes, PROT_NONE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  if (mapping == MAP_FAILED) throw std::bad_alloc();
  char* low = static_cast<char*>(mapping) + guard;
  if (mprotect(low, kStackBytes, PROT_READ | PROT_WRITE) != 0) {
    munmap(mapping, guard + kStackBytes);
    throw std::bad_alloc();
  }
  mapping_ = mapping;
  stack_low_ = low;
  stack_size_ = kStackBytes;
  context_ = boost::context::detail::make_fcontext(low + kStackBytes, kStackBytes, &Fiber::enter);
#if defined(CAUSALCHECK_THREAD_SANITIZER)
  thread_sanitizer_fiber_ = __tsan_create_fiber(0);
#endif
}

Fiber::~Fiber() {
  assert(life_ != Life::kStarted);
  if (mapping_ == nullptr) return;
#if defined(CAUSALCHECK_THREAD_SANITIZER)
  __tsan_destroy_fiber(thread_sanitizer_fiber_);
#endif
  munmap(mapping_, page_bytes() + kStackBytes);
}

std::size_t Fiber::stack_bytes() { return kStackBytes; }

// What a fresh context runs.
void Fiber::enter(boost::context::detail::transfer_t from) {
  Fiber& self = *static_cast<Fiber*>(from.data)->left_for_;
  self.arrive(from);
  Fiber& next = self.main_(self.argument_);
  self.life_ = Life::kEnded;
  self.leave_for(next, nullptr);  // nullptr: its fake stack is not needed again
  boost::context::detail::jump_fcontext(next.context_, &self);
  __builtin_unreachable();
}

ExceptionProbe::ExceptionProbe()
    : globals_(reinterpret_cast<const Globals*>(__cxxabiv1::__cxa_get_globals())) {}

}  // namespace causalcheck
