! SPDX-License-Identifier: BSD-3-Clause
! Loops of Fortran for bench/loops.py: nests, reductions, searches, strides and tests inside.
module nests
  implicit none
contains
  subroutine multiply(a, b, c, n)
    integer, intent(in) :: n
    real(8), intent(in) :: a(n, n), b(n, n)
    real(8), intent(out) :: c(n, n)
    integer :: i, j, k
    do j = 1, n
      do i = 1, n
        c(i, j) = 0
      end do
      do k = 1, n
        do i = 1, n
          c(i, j) = c(i, j) + a(i, k) * b(k, j)
        end do
      end do
    end do
  end subroutine

  subroutine relax(u, v, n, steps)
    integer, intent(in) :: n, steps
    real(8), intent(inout) :: u(n, n), v(n, n)
    integer :: i, j, step
    do step = 1, steps
      do j = 2, n - 1
        do i = 2, n - 1
          v(i, j) = 0.25d0 * (u(i - 1, j) + u(i + 1, j) + u(i, j - 1) + u(i, j + 1))
        end do
      end do
      do j = 2, n - 1
        do i = 2, n - 1
          u(i, j) = v(i, j)
        end do
      end do
    end do
  end subroutine

  function total(x, n) result(sum_of_all)
    integer, intent(in) :: n
    real(8), intent(in) :: x(n)
    real(8) :: sum_of_all
    integer :: i
    sum_of_all = 0
    do i = 1, n
      if (x(i) > 0) sum_of_all = sum_of_all + sqrt(x(i))
    end do
  end function

  function find(keys, key, n) result(at)
    integer, intent(in) :: n, keys(n), key
    integer :: at, low, high
    low = 1
    high = n
    do while (low < high)
      at = (low + high) / 2
      if (keys(at) < key) then
        low = at + 1
      else
        high = at
      end if
    end do
    at = low
  end function

  function collatz(start) result(steps)
    integer(8), intent(in) :: start
    integer(8) :: n
    integer :: steps
    n = start
    steps = 0
    do while (n /= 1)
      if (mod(n, 2_8) == 0) then
        n = n / 2
      else
        n = 3 * n + 1
      end if
      steps = steps + 1
    end do
  end function

  subroutine sort(x, n)
    integer, intent(in) :: n
    real(4), intent(inout) :: x(n)
    real(4) :: held
    integer :: i, j
    do i = 2, n
      held = x(i)
      j = i - 1
      do while (j >= 1)
        if (x(j) <= held) exit
        x(j + 1) = x(j)
        j = j - 1
      end do
      x(j + 1) = held
    end do
  end subroutine

  subroutine gather(x, from, y, n)
    integer, intent(in) :: n, from(n)
    complex(8), intent(in) :: x(:)
    complex(8), intent(out) :: y(n)
    integer :: i
    do i = 1, n
      if (from(i) == 0) cycle
      y(i) = x(from(i)) * (2, 1)
    end do
  end subroutine
end module
