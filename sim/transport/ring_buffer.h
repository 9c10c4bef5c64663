#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace overlane::transport {

/// A queue in contiguous memory, which is allocated on the first insertion and doubled when full.
/// push_back() returns an element's number, which stays valid until the element is removed; numbers
/// count up from 0.
template <class T>
class RingBuffer {
 public:
  std::uint32_t first() const { return first_; }
  /// One past the number of the last element.
  std::uint32_t last() const { return first_ + count_; }
  std::uint32_t size() const { return count_; }
  bool empty() const { return count_ == 0; }

  T& operator[](std::uint32_t number) { return slots_[number & mask()]; }
  const T& operator[](std::uint32_t number) const { return slots_[number & mask()]; }
  T& front() { return (*this)[first_]; }
  const T& front() const { return (*this)[first_]; }
  const T& back() const { return (*this)[last() - 1]; }

  std::uint32_t push_back(const T& value) {
    if (count_ == slots_.size()) grow();
    const std::uint32_t number = last();
    ++count_;
    (*this)[number] = value;
    return number;
  }
  void pop_front() {
    ++first_;
    --count_;
  }
  /// Frees the memory of an empty queue.
  void release() {
    if (count_ == 0) slots_ = {};
  }

 private:
  static constexpr std::size_t kFewest = 4;

  std::uint32_t mask() const { return static_cast<std::uint32_t>(slots_.size()) - 1; }
  void grow() {
    std::vector<T> larger(slots_.empty() ? kFewest : slots_.size() * 2);
    for (std::uint32_t number = first_; number != last(); ++number)
      larger[number & (larger.size() - 1)] = (*this)[number];
    slots_ = std::move(larger);
  }

  std::vector<T> slots_;  ///< The size is a power of two.
  std::uint32_t first_ = 0;
  std::uint32_t count_ = 0;
};

}  // namespace overlane::transport
