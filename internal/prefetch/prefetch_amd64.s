//go:build !portable

#include "textflag.h"

// func Lines(at uintptr, n int)
TEXT ·Lines(SB), NOSPLIT, $0-16
	MOVQ at+0(FP), AX
	MOVQ n+8(FP), CX
next:
	PREFETCHT0 (AX)
	ADDQ $64, AX
	SUBQ $1, CX
	JGT  next
	RET
