#pragma once

#include <boost/context/detail/fcontext.hpp>
#include <cassert>
#include <cstddef>

// g++ 12 defines a macro for each sanitizer, clang 14 answers __has_feature.
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define CAUSALCHECK_ADDRESS_SANITIZER 1
#endif
#if __has_feature(thread_sanitizer)
#define CAUSALCHECK_THREAD_SANITIZER 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__)
#define CAUSALCHECK_ADDRESS_SANITIZER 1
#endif
#if defined(__SANITIZE_THREAD__)
#define CAUSALCHECK_THREAD_SANITIZER 1
#endif

#if defined(CAUSALCHECK_ADDRESS_SANITIZER)
#include <sanitizer/common_interface_defs.h>
#endif
#if defined(CAUSALCHECK_THREAD_SANITIZER)
#include <sanitizer/tsan_interface.h>
#endif

namespace causalcheck {

/// A stack of its own and what runs there. For the scheduler only; everybody else sees Runtime.
///
/// The one wrapper around Boost.Context. It uses the raw contexts (`make_fcontext`,
/// `jump_fcontext`) and not `boost::context::fiber`: nothing is ever unwound behind the caller's
/// back, so there is no `forced_unwind` that a `catch (...)` could swallow. In exchange a fiber
/// must be driven to its end: destroying one that has started and not ended is a bug and asserts.
///
/// Tells the address and thread sanitizers of each switch; Debian's Boost does not. A switch while
/// an exception is being thrown or handled is a bug (see ExceptionProbe): the C++ runtime keeps one
/// list of those per thread, and two fibers would rethrow each other's.
class Fiber {
 public:
  /// What a new fiber runs. Ends by returning the fiber that goes on; its own never runs again.
  using Main = Fiber& (*)(void* argument) noexcept;

  /// The stack that the calling thread is on, as something to come back to.
  Fiber();
  /// A new guarded stack on which `main(argument)` runs from the first switch on.
  /// Throws std::bad_alloc when there is no memory for it.
  Fiber(Main main, void* argument);
  ~Fiber();
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  /// Leaves this fiber, which must be the running one, for `next`; returns when some fiber switches
  /// back. Costs a few nanoseconds.
  void switch_to(Fiber& next);

  /// Bytes of stack a new fiber gets. More under the sanitizers, whose frames are larger.
  [[nodiscard]] static std::size_t stack_bytes();

 private:
  enum class Life : unsigned char { kThread, kFresh, kStarted, kEnded };

  void leave_for(Fiber& next, void** keep_fake_stack);
  void arrive(boost::context::detail::transfer_t from);
  [[noreturn]] static void enter(boost::context::detail::transfer_t from);

  boost::context::detail::fcontext_t context_ =
      nullptr;  // where to go on; meaningless while running
  Fiber* left_for_ = nullptr;
  Life life_ = Life::kThread;
  Main main_ = nullptr;
  void* argument_ = nullptr;
  void* mapping_ = nullptr;  // guard page and stack
  // What the sanitizers want to know; idle without them. The address sanitizer tells us the bounds
  // of a thread's own stack at the first switch away from it.
  const void* stack_low_ = nullptr;
  std::size_t stack_size_ = 0;
  [[maybe_unused]] void* fake_stack_ = nullptr;
  [[maybe_unused]] void* thread_sanitizer_fiber_ = nullptr;
};

/// Whether the calling thread is throwing or handling an exception, asked at the cost of two loads
/// (std::uncaught_exceptions and std::current_exception take ten times as long).
class ExceptionProbe {
 public:
  /// Watches the thread that constructs it; may be asked on that thread only.
  ExceptionProbe();

  /// An exception is on its way: destructors run, and no handler has been entered.
  [[nodiscard]] bool unwinding() const { return globals_->uncaught != 0; }
  /// A catch handler is being run.
  [[nodiscard]] bool handling() const { return globals_->caught != nullptr; }

 private:
  // The head of __cxa_eh_globals as the Itanium C++ ABI (exception handling, 2.2.2) lays it out.
  struct Globals {
    void* caught;
    unsigned int uncaught;
  };
  const Globals* globals_;
};

// The three are inlined always. The thread sanitizer would count the entry into a function on one
// fiber's call stack and the exit from it on another's; and the processor predicts every return
// after a switch wrongly, so the fewer the better.

[[gnu::always_inline]] inline void Fiber::leave_for(Fiber& next,
                                                    [[maybe_unused]] void** keep_fake_stack) {
  assert(&next != this);
  assert(next.life_ != Life::kEnded);
  if (next.life_ == Life::kFresh) next.life_ = Life::kStarted;
  left_for_ = &next;
#if defined(CAUSALCHECK_ADDRESS_SANITIZER)
  __sanitizer_start_switch_fiber(keep_fake_stack, next.stack_low_, next.stack_size_);
#endif
#if defined(CAUSALCHECK_THREAD_SANITIZER)
  __tsan_switch_to_fiber(next.thread_sanitizer_fiber_, 0);
#endif
}

// The fiber left hands over its own address; the context is what the jump saved of it.
[[gnu::always_inline]] inline void Fiber::arrive(boost::context::detail::transfer_t from) {
  auto* previous = static_cast<Fiber*>(from.data);
  previous->context_ = from.fctx;
#if defined(CAUSALCHECK_ADDRESS_SANITIZER)
  __sanitizer_finish_switch_fiber(fake_stack_, &previous->stack_low_, &previous->stack_size_);
#endif
}

[[gnu::always_inline]] inline void Fiber::switch_to(Fiber& next) {
  leave_for(next, &fake_stack_);
  arrive(boost::context::detail::jump_fcontext(next.context_, this));
}

}  // namespace causalcheck
