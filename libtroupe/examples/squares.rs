// Processes in Rust, on hand-written declarations: each of a thousand squares a number.
//
//     rustc -L lib -C link-arg=-Wl,-rpath,lib examples/squares.rs && ./squares
//
// A body must not unwind: a panic that leaves it aborts the program, as `extern "C"` says.

use std::ffi::c_void;

type Pid = u64;

#[repr(C)]
struct Message {
    tag: u64,
    data: *const c_void,
    size: usize,
}

#[link(name = "troupe")]
extern "C" {
    fn troupe_init(config: *const c_void) -> i32;
    fn troupe_shutdown(timeout: i64) -> i32;
    fn troupe_self() -> Pid;
    fn troupe_spawn(entry: extern "C" fn(*const u8), args: *const c_void, size: usize, priority: i32) -> Pid;
    fn troupe_send_word(pid: Pid, tag: u64, word: u64) -> i32;
    fn troupe_receive(msg: *mut Message, timeout: i64) -> i32;
}

const OK: i32 = 0;
const FOREVER: i64 = -1;
const NORMAL: i32 = 0;
const SQUARE: u64 = 1;

#[repr(C)]
struct Task {
    main: Pid,
    number: u64,
}

extern "C" fn square(args: *const u8) {
    // The runtime copied a Task there, aligned for every type.
    let task = unsafe { &*(args as *const Task) };
    unsafe { troupe_send_word(task.main, SQUARE, task.number * task.number) };
}

fn spawn(task: &Task) -> Pid {
    let at = task as *const Task as *const c_void;
    unsafe { troupe_spawn(square, at, std::mem::size_of::<Task>(), NORMAL) }
}

fn receive() -> Option<u64> {
    let mut msg = Message { tag: 0, data: std::ptr::null(), size: 0 };
    match unsafe { troupe_receive(&mut msg, FOREVER) } {
        OK if msg.tag == SQUARE && msg.size == 8 => Some(unsafe { *(msg.data as *const u64) }),
        _ => None,
    }
}

fn main() {
    assert_eq!(unsafe { troupe_init(std::ptr::null()) }, OK);
    let main = unsafe { troupe_self() };
    for number in 0..1000 {
        assert_ne!(spawn(&Task { main, number }), 0);
    }
    let sum: u64 = (0..1000).map(|_| receive().expect("a square")).sum();
    println!("{sum}");
    assert_eq!(unsafe { troupe_shutdown(FOREVER) }, OK);
}
