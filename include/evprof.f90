! SPDX-License-Identifier: BSD-3-Clause
! Regions in Fortran: use evprof; call evprof_region_begin("assemble"). Compile this file and evprof_fortran.c with
! the program; there is nothing else to link.
module evprof
  use, intrinsic :: iso_c_binding, only: c_char, c_null_char
  implicit none
  private
  public :: evprof_region_begin, evprof_region_end

  interface
    subroutine begin_region(name) bind(c, name="evprof_fortran_begin")
      import :: c_char
      character(kind=c_char), intent(in) :: name(*)
    end subroutine
    subroutine end_region(name) bind(c, name="evprof_fortran_end")
      import :: c_char
      character(kind=c_char), intent(in) :: name(*)
    end subroutine
  end interface
contains
  subroutine evprof_region_begin(name)
    character(len=*), intent(in) :: name
    call begin_region(trim(name) // c_null_char)
  end subroutine

  subroutine evprof_region_end(name)
    character(len=*), intent(in) :: name
    call end_region(trim(name) // c_null_char)
  end subroutine
end module
