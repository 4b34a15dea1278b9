// The workloads with Tokio: a task with an unbounded channel for each process. They print what external.go reads.
use std::io::Read;
use std::time::{Duration, Instant};

use tokio::sync::mpsc::{unbounded_channel, UnboundedReceiver, UnboundedSender};

enum Ball {
    Pass(u64),
    Report,
}

fn elapsed(d: Duration) {
    println!("elapsed {}", d.as_nanos());
}

async fn sum_of(values: &mut UnboundedReceiver<u64>, messages: u64) -> u64 {
    let mut sum = 0;
    for _ in 0..messages {
        sum += values.recv().await.unwrap();
    }
    sum
}

// Tasks in a ring pass a number on, which counts down.
async fn pass_on(n: u64, size: u64) -> u64 {
    let (value, mut values) = unbounded_channel();
    let (done, mut dones) = unbounded_channel();
    let (places, mailboxes): (Vec<_>, Vec<_>) = (0..size).map(|_| unbounded_channel()).unzip();
    for (i, mut mailbox) in mailboxes.into_iter().enumerate() {
        let next = places[(i + 1) % places.len()].clone();
        let (value, done) = (value.clone(), done.clone());
        tokio::spawn(async move {
            let mut count = 0;
            loop {
                match mailbox.recv().await.unwrap() {
                    Ball::Pass(0) => {
                        count += 1;
                        done.send(()).unwrap();
                    }
                    Ball::Pass(left) => {
                        count += 1;
                        next.send(Ball::Pass(left - 1)).ok().unwrap();
                    }
                    Ball::Report => {
                        value.send(count).unwrap();
                        return;
                    }
                }
            }
        });
    }
    let begin = Instant::now();
    places[0].send(Ball::Pass(n - 1)).ok().unwrap();
    dones.recv().await.unwrap();
    elapsed(begin.elapsed());
    for p in &places {
        p.send(Ball::Report).ok().unwrap();
    }
    sum_of(&mut values, size).await
}

fn produce(to: &UnboundedSender<u64>, from: u64, end: u64) {
    for i in from..end {
        to.send(i).unwrap();
    }
}

// One task adds up the numbers that others send.
async fn tell(n: u64, producers: u64) -> u64 {
    let (to, mut numbers) = unbounded_channel();
    let (value, mut values) = unbounded_channel();
    tokio::spawn(async move {
        value.send(sum_of(&mut numbers, n).await).unwrap();
    });
    let begin = Instant::now();
    if producers == 1 {
        produce(&to, 0, n);
    } else {
        for p in 0..producers {
            let to = to.clone();
            tokio::spawn(async move { produce(&to, n / producers * p, n / producers * (p + 1)) });
        }
    }
    let sum = sum_of(&mut values, 1).await;
    elapsed(begin.elapsed());
    sum
}

// Tasks are started and send their first message on.
async fn spawn(n: u64, size: u64) -> u64 {
    let (value, mut values) = unbounded_channel();
    let mut sum = 0;
    let mut left = n;
    while left > 0 {
        let k = left.min(size);
        let mut tasks = Vec::with_capacity(k as usize);
        let begin = Instant::now();
        for _ in 0..k {
            let (tell, mut mailbox) = unbounded_channel::<u64>();
            let value = value.clone();
            let task = tokio::spawn(async move {
                while let Some(v) = mailbox.recv().await {
                    value.send(v).unwrap();
                }
            });
            tell.send(1).unwrap();
            tasks.push((tell, task));
        }
        sum += sum_of(&mut values, k).await;
        elapsed(begin.elapsed());
        for (tell, task) in tasks {
            drop(tell);
            task.await.unwrap();
        }
        left -= k;
    }
    sum
}

async fn run(name: String, n: u64, size: u64) -> u64 {
    match name.as_str() {
        "ping-pong" => pass_on(n, 2).await,
        "ring" => pass_on(n, size).await,
        "tell" => tell(n, 1).await,
        "tell4" => tell(n, 4).await,
        "spawn" | "spawn-new" => spawn(n, size).await,
        _ => panic!("unknown workload {}", name),
    }
}

fn main() {
    std::thread::spawn(|| {
        let _ = std::io::stdin().read_to_end(&mut Vec::new());
        std::process::exit(1); // The parent is gone.
    });
    let args: Vec<String> = std::env::args().collect();
    let (name, n, size) = (args[1].clone(), args[2].parse().unwrap(), args[3].parse().unwrap());
    let runtime = tokio::runtime::Builder::new_multi_thread().build().unwrap();
    let result = runtime.block_on(async move { tokio::spawn(run(name, n, size)).await.unwrap() });
    println!("result {}", result);
}
