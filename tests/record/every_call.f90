! SPDX-License-Identifier: Apache-2.0
!
! every_call.f90: the calls of Fortran programs whose arguments are changed on their way into MPI's C
! library: handles, arrays of requests and statuses, indices, MPI_IN_PLACE, ignored statuses. Each
! rank prints what it sent, as every_call.c does. F08: with module mpi_f08, otherwise module mpi.
program every_call
#ifdef F08
  use mpi_f08
#else
  use mpi
#endif
  implicit none
  integer :: rank, ranks, right, left, code, k, index, num, indices(4), messages, bytes, wrong
  logical :: flag
  double precision :: value, total, outgoing(100), incoming(100, 4)
#ifdef F08
  type(MPI_Comm) :: comm, half
  type(MPI_Request) :: requests(4)
  type(MPI_Status) :: status, statuses(4)
#else
  integer :: comm, half
  integer :: requests(4), status(MPI_STATUS_SIZE), statuses(MPI_STATUS_SIZE, 4)
#endif
  messages = 0
  bytes = 0
  wrong = 0
  call MPI_Init(code)
  call MPI_Comm_dup(MPI_COMM_WORLD, comm, code)
  call MPI_Comm_rank(comm, rank, code)
  call MPI_Comm_size(comm, ranks, code)
  right = mod(rank + 1, ranks)
  left = mod(rank + ranks - 1, ranks)
  outgoing = rank

  call MPI_Irecv(incoming, 100, MPI_DOUBLE_PRECISION, MPI_ANY_SOURCE, 1, comm, requests(1), code)
  call MPI_Send(outgoing, 50, MPI_DOUBLE_PRECISION, right, 1, comm, code)
  call MPI_Wait(requests(1), MPI_STATUS_IGNORE, code)
  call sent(1, 400)
  if (incoming(50, 1) /= left) wrong = wrong + 1

  do k = 1, 4
    call MPI_Irecv(incoming(1, k), 100, MPI_DOUBLE_PRECISION, left, 10 + k, comm, requests(k), code)
  end do
  do k = 1, 4
    call send_part(k)
  end do
  call MPI_Waitany(4, requests, index, status, code)
  if (index < 1 .or. index > 4) wrong = wrong + 1
  call MPI_Waitsome(4, requests, num, indices, statuses, code)
  flag = .false.
  do while (.not. flag)
    call MPI_Testall(4, requests, flag, MPI_STATUSES_IGNORE, code)
  end do

  call MPI_Sendrecv(outgoing, 3, MPI_DOUBLE_PRECISION, right, 20, incoming, 100, MPI_DOUBLE_PRECISION, &
                    MPI_ANY_SOURCE, MPI_ANY_TAG, comm, MPI_STATUS_IGNORE, code)
  call sent(1, 24)
  value = rank
  call MPI_Allreduce(MPI_IN_PLACE, value, 1, MPI_DOUBLE_PRECISION, MPI_SUM, comm, code)
  if (nint(value) /= ranks * (ranks - 1) / 2) wrong = wrong + 1
  call MPI_Comm_split(comm, mod(rank, 2), rank, half, code)
  call MPI_Bcast(value, 1, MPI_DOUBLE_PRECISION, 0, half, code)
  call MPI_Iallreduce(value, total, 1, MPI_DOUBLE_PRECISION, MPI_MAX, half, requests(1), code)
  call MPI_Wait(requests(1), MPI_STATUS_IGNORE, code)
  call MPI_Comm_free(half, code)
  call MPI_Recv_init(incoming, 100, MPI_DOUBLE_PRECISION, left, 30, comm, requests(1), code)
  call MPI_Send_init(outgoing, 9, MPI_DOUBLE_PRECISION, right, 30, comm, requests(2), code)
  do k = 1, 3
    call MPI_Startall(2, requests, code)
    call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE, code)
    call sent(1, 72)
  end do
  call MPI_Request_free(requests(1), code)
  call MPI_Request_free(requests(2), code)
  call MPI_Barrier(comm, code)
  print '(a,i0,a,i0,a,i0,a,i0)', 'rank ', rank, ' sent ', messages, ' ', bytes, ' wrong ', wrong
  call MPI_Finalize(code)

contains
  subroutine sent(num_messages, size)
    integer, intent(in) :: num_messages, size
    messages = messages + num_messages
    bytes = bytes + num_messages * size
  end subroutine sent

  subroutine send_part(which)
    integer, intent(in) :: which
    if (which == 2 .and. mod(ranks, 2) == 0) then
      call MPI_Ssend(outgoing, which, MPI_DOUBLE_PRECISION, right, 10 + which, comm, code)
    else
      call MPI_Send(outgoing, which, MPI_DOUBLE_PRECISION, right, 10 + which, comm, code)
    end if
    call sent(1, 8 * which)
  end subroutine send_part
end program every_call
