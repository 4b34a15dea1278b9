//go:build !portable

#include "textflag.h"

// func current() uintptr
// The two-step access to thread-local storage is the form that also links
// into position-independent code and shared libraries.
TEXT ·current(SB), NOSPLIT, $0-8
	MOVQ TLS, CX
	MOVQ 0(CX)(TLS*1), AX
	MOVQ AX, ret+0(FP)
	RET

// func word(descriptor, offset uintptr) uint64
TEXT ·word(SB), NOSPLIT, $0-24
	MOVQ descriptor+0(FP), AX
	MOVQ offset+8(FP), BX
	MOVQ (AX)(BX*1), AX
	MOVQ AX, ret+16(FP)
	RET
