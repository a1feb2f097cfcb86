! SPDX-License-Identifier: BSD-3-Clause
program regions
  use evprof
  implicit none
  integer :: i

  call evprof_region_begin("outer")
  do i = 1, 5
    call evprof_region_begin("inner ")
    call evprof_region_end("inner")
  end do
  call evprof_region_end("outer")
end program
