! SPDX-License-Identifier: BSD-3-Clause
! Two procedures of one name in modules, each inlined into a caller of its own.
! Two slow operations each: interrupts meet what waits for the first, which is the procedure's own, too.
module near
contains
  subroutine work(x, i)
    real(8), intent(inout) :: x
    integer, intent(in) :: i
    x = sqrt(2 / x + i) ! near
  end subroutine

  subroutine walk(x, n)
    real(8), intent(inout) :: x
    integer, intent(in) :: n
    integer :: i
    do i = 1, n
      call work(x, i)
    end do
  end subroutine
end module

module far
contains
  subroutine work(x, i)
    real(8), intent(inout) :: x
    integer, intent(in) :: i
    x = 2 / (sqrt(x) + i) ! far
  end subroutine

  subroutine walk(x, n)
    real(8), intent(inout) :: x
    integer, intent(in) :: n
    integer :: i
    do i = 1, n
      call work(x, i)
    end do
  end subroutine
end module

program modules
  use near, only: walk_near => walk
  use far, only: walk_far => walk
  abstract interface
    subroutine walker(x, n)
      real(8), intent(inout) :: x
      integer, intent(in) :: n
    end subroutine
  end interface
  procedure(walker), pointer :: walk ! a pointer, so that they stay procedures
  real(8) :: x = 1
  integer :: i
  do i = 1, 40
    walk => walk_near
    if (mod(i, 2) == 0) walk => walk_far
    call walk(x, 2000000)
  end do
  if (x < 0) print *, x
end program
