//go:build cgo && (linux || darwin) && (amd64 || arm64)

#include "internal.h"

// stack_switch(save, to) keeps what the ABI of the platform says that calls keep on the
// stack, stores the stack pointer at save, and goes on at to, where another call has stored
// its own. stack_begin lays such a frame at the top of a new stack; it leads to process_main.

void process_main(slot *s) __attribute__((noreturn));

#ifdef __APPLE__
#define SYMBOL(name) "_" #name
#define HIDDEN(name) ".private_extern " SYMBOL(name) "\n"
#else
#define SYMBOL(name) #name
#define HIDDEN(name) ".hidden " #name "\n"
#endif

#if defined(__x86_64__)

__asm__(
    ".text\n"
    ".globl " SYMBOL(stack_switch) "\n" HIDDEN(stack_switch)
    ".p2align 4\n" SYMBOL(stack_switch) ":\n"
    "  pushq %rbp\n"
    "  pushq %rbx\n"
    "  pushq %r12\n"
    "  pushq %r13\n"
    "  pushq %r14\n"
    "  pushq %r15\n"
    "  subq $8, %rsp\n"
    "  stmxcsr (%rsp)\n"
    "  fnstcw 4(%rsp)\n"
    "  movq %rsp, (%rdi)\n"
    "  movq %rsi, %rsp\n"
    "  ldmxcsr (%rsp)\n"
    "  fldcw 4(%rsp)\n"
    "  addq $8, %rsp\n"
    "  popq %r15\n"
    "  popq %r14\n"
    "  popq %r13\n"
    "  popq %r12\n"
    "  popq %rbx\n"
    "  popq %rbp\n"
    "  ret\n"
    ".globl " SYMBOL(stack_boot) "\n" HIDDEN(stack_boot)
    ".p2align 4\n" SYMBOL(stack_boot) ":\n"
    "  .cfi_startproc\n"
    "  .cfi_undefined rip\n"
    "  movq %r12, %rdi\n"
    "  call " SYMBOL(process_main) "\n"
    "  ud2\n"
    "  .cfi_endproc\n");

void stack_boot(void);

void *stack_begin(void *top, slot *s) {
  uint64_t *sp = (uint64_t *)top - 8;
  uint32_t mxcsr;
  uint16_t fcw;
  __asm__ volatile("stmxcsr %0" : "=m"(mxcsr));
  __asm__ volatile("fnstcw %0" : "=m"(fcw));
  sp[0] = (uint64_t)mxcsr | (uint64_t)fcw << 32;
  sp[1] = sp[2] = sp[3] = 0; // r15, r14, r13
  sp[4] = (uint64_t)(uintptr_t)s; // r12
  sp[5] = sp[6] = 0; // rbx, rbp
  sp[7] = (uint64_t)(uintptr_t)stack_boot; // Where stack_switch returns to: then the stack is at top.
  return sp;
}

#elif defined(__aarch64__)

__asm__(
    ".text\n"
    ".globl " SYMBOL(stack_switch) "\n" HIDDEN(stack_switch)
    ".p2align 4\n" SYMBOL(stack_switch) ":\n"
    "  sub sp, sp, #160\n"
    "  stp d8, d9, [sp, #0]\n"
    "  stp d10, d11, [sp, #16]\n"
    "  stp d12, d13, [sp, #32]\n"
    "  stp d14, d15, [sp, #48]\n"
    "  stp x19, x20, [sp, #64]\n"
    "  stp x21, x22, [sp, #80]\n"
    "  stp x23, x24, [sp, #96]\n"
    "  stp x25, x26, [sp, #112]\n"
    "  stp x27, x28, [sp, #128]\n"
    "  stp x29, x30, [sp, #144]\n"
    "  mov x9, sp\n"
    "  str x9, [x0]\n"
    "  mov sp, x1\n"
    "  ldp d8, d9, [sp, #0]\n"
    "  ldp d10, d11, [sp, #16]\n"
    "  ldp d12, d13, [sp, #32]\n"
    "  ldp d14, d15, [sp, #48]\n"
    "  ldp x19, x20, [sp, #64]\n"
    "  ldp x21, x22, [sp, #80]\n"
    "  ldp x23, x24, [sp, #96]\n"
    "  ldp x25, x26, [sp, #112]\n"
    "  ldp x27, x28, [sp, #128]\n"
    "  ldp x29, x30, [sp, #144]\n"
    "  add sp, sp, #160\n"
    "  ret\n"
    ".globl " SYMBOL(stack_boot) "\n" HIDDEN(stack_boot)
    ".p2align 4\n" SYMBOL(stack_boot) ":\n"
    "  .cfi_startproc\n"
    "  .cfi_undefined x30\n"
    "  mov x0, x19\n"
    "  bl " SYMBOL(process_main) "\n"
    "  brk #1\n"
    "  .cfi_endproc\n");

void stack_boot(void);

void *stack_begin(void *top, slot *s) {
  uint64_t *sp = (uint64_t *)top - 20;
  for (int i = 0; i < 20; i++) {
    sp[i] = 0;
  }
  sp[8] = (uint64_t)(uintptr_t)s;           // x19
  sp[19] = (uint64_t)(uintptr_t)stack_boot; // x30
  return sp;
}

#endif
