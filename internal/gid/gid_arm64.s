//go:build !portable

#include "textflag.h"

// func current() uintptr
TEXT ·current(SB), NOSPLIT, $0-8
	MOVD g, R0
	MOVD R0, ret+0(FP)
	RET

// func word(descriptor, offset uintptr) uint64
TEXT ·word(SB), NOSPLIT, $0-24
	MOVD descriptor+0(FP), R0
	MOVD offset+8(FP), R1
	ADD  R1, R0
	LDAR (R0), R0 // Before the caller looks again at whose descriptor it is.
	MOVD R0, ret+16(FP)
	RET
