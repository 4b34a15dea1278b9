//go:build cgo && unix

package cblock

/*
#include <errno.h>
#include <stdint.h>
#include <unistd.h>

// block_in_c returns when the pipe has a byte, or its other end is closed.
static int block_in_c(int fd) {
	char byte;
	ssize_t n;
	do {
		n = read(fd, &byte, 1);
	} while (n < 0 && errno == EINTR);
	return (int)n;
}
*/
import "C"

// Block waits in C until the pipe whose reading end is fd is closed at its other end, and returns what the
// read has returned, which is 0 then.
func Block(fd int) int { return int(C.block_in_c(C.int(fd))) }
