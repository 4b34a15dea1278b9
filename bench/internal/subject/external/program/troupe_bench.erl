%% The workloads in Erlang, one function each. They print what external.go reads.
-module(troupe_bench).
-export([main/0]).

main() ->
    spawn(fun() -> io:get_line(""), halt(1) end), % The parent is gone.
    [Name, N, Size] = init:get_plain_arguments(),
    Result = run(list_to_existing_atom(Name), list_to_integer(N), list_to_integer(Size)),
    io:format("result ~b~n", [Result]),
    halt(0, [{flush, true}]).

measure(F) ->
    T0 = now_ns(),
    V = F(),
    io:format("elapsed ~b~n", [now_ns() - T0]),
    V.

now_ns() -> erlang:monotonic_time(nanosecond).

%% times(N, F) calls F N times.
times(0, _) -> ok;
times(N, F) -> F(), times(N - 1, F).

get_sum(0, Sum) -> Sum;
get_sum(N, Sum) -> receive {value, V} -> get_sum(N - 1, Sum + V) end.

batches(N, Size, F) -> batches(N, Size, F, 0).
batches(0, _, _, Sum) -> Sum;
batches(N, Size, F, Sum) ->
    K = min(N, Size),
    batches(N - K, Size, F, Sum + F(K)).

run(ping_pong, N, _) -> pass_on(N, 2);
run(ring, N, Size) -> pass_on(N, Size);
run(thread_ring, N, Size) -> pass_on(N, Size);
run(tell, N, _) ->
    Adder = adder(N),
    measure(fun() -> produce(Adder, 0, N), get_sum(1, 0) end);
run(tell4, N, _) ->
    Adder = adder(N),
    Share = N div 4,
    measure(fun() ->
        [spawn(fun() -> produce(Adder, P * Share, (P + 1) * Share) end) || P <- [0, 1, 2, 3]],
        get_sum(1, 0)
    end);
run(ask_inside, N, _) ->
    Server = spawn(fun successor/0),
    Main = self(),
    measure(fun() ->
        spawn(fun() -> Main ! {value, ask_all(Server, 0, N, 0)} end),
        get_sum(1, 0)
    end);
run(spawn, N, Size) ->
    batches(N, Size, fun(K) ->
        {Pids, Sum} = measure(fun() -> Pids = start_told(K), {Pids, get_sum(K, 0)} end),
        [begin Ref = monitor(process, P), exit(P, kill), receive {'DOWN', Ref, _, _, _} -> ok end end || P <- Pids],
        Sum
    end);
run(spawn_new, N, Size) ->
    run(spawn, N, Size);
run(stop, N, Size) ->
    batches(N, Size, fun(K) ->
        Pids = start_told(K),
        K = get_sum(K, 0),
        measure(fun() -> stop_all(Pids, 0) end)
    end);
run(memory, N, _) ->
    {Pids, _} = grown(fun() -> {[spawn(idler(self())) || _ <- lists:seq(1, N)], 0} end),
    [P ! {tell, 1} || P <- Pids],
    get_sum(N, 0);
run(memory_used, N, _) ->
    {_, Sum} = grown(fun() -> Pids = start_told(N), {Pids, get_sum(N, 0)} end),
    Sum;
run(big, N, Size) ->
    Main = self(),
    Pids = [spawn(fun() -> pinger_start(Main, I) end) || I <- lists:seq(1, Size)],
    All = list_to_tuple(Pids),
    [P ! {all, All, N div 2 div Size} || P <- Pids],
    measure(fun() ->
        [P ! start || P <- Pids],
        2 * get_sum(Size, 0)
    end);
run(skynet, N, Size) ->
    Main = self(),
    measure(fun() ->
        times(N, fun() -> spawn(fun() -> node(Main, 0, Size) end), receive {value, V} -> self() ! {kept, V} end end),
        kept(N, 0)
    end);
run(counting, N, _) ->
    Main = self(),
    Counter = spawn(fun() -> counter(0) end),
    measure(fun() ->
        spawn(fun() -> times(N, fun() -> Counter ! increment end), Counter ! {retrieve, Main} end),
        get_sum(1, 0)
    end);
run(fork_join_throughput, N, Size) ->
    Main = self(),
    Share = N div Size,
    Pids = list_to_tuple([spawn(fun() -> sines(Share, Main, 0) end) || _ <- lists:seq(1, Size)]),
    measure(fun() -> scatter(Pids, N, Size), get_sum(Size, 0) end);
run(fork_join_creation, N, Size) ->
    Main = self(),
    batches(N, Size, fun(K) ->
        measure(fun() ->
            times(K, fun() -> spawn(fun() -> sines(1, Main, 0) end) ! sine end),
            get_sum(K, 0)
        end)
    end);
run(chameneos, N, Size) ->
    Main = self(),
    Mall = spawn(fun() -> mall(N) end),
    measure(fun() ->
        [spawn(fun() -> creature(Mall, Main, I rem 3, 0) end) || I <- lists:seq(1, Size)],
        get_sum(Size, 0)
    end);
run(check, N, _) -> check(N, 10, 0, 0);
run(urgent_flood, N, Size) -> flood(N, Size);
run(urgent_busy, N, Size) -> busy(N, Size);
run(fib, N, Size) ->
    measure(fun() -> lists:sum([fib(Size) || _ <- lists:seq(1, N)]) end);
run(spawn_join, N, Size) ->
    batches(N, Size, fun(K) ->
        measure(fun() ->
            Main = self(),
            Tasks = [spawn_monitor(fun() -> Main ! {value, 1} end) || _ <- lists:seq(1, K)],
            [receive {'DOWN', Ref, process, _, normal} -> ok end || {_, Ref} <- Tasks],
            get_sum(K, 0)
        end)
    end);
run(yield, N, _) ->
    Main = self(),
    measure(fun() ->
        [spawn(fun() -> times(N div 2, fun() -> erlang:yield() end), Main ! {value, N div 2} end) || _ <- [1, 2]],
        get_sum(2, 0)
    end).

%% What a call takes, which counts a reduction: ten times as many calls for the same work. The two take turns.
check(N, 0, With, Without) ->
    io:format("elapsed ~b~n", [max(N div 100 + 1, (With - Without) * 10 div 9)]),
    N;
check(N, Turns, With, Without) ->
    Share = (N + 99) div 100 * 10,
    T0 = now_ns(),
    tens(Share),
    T1 = now_ns(),
    ones(Share),
    check(N, Turns - 1, With + now_ns() - T1, Without + T1 - T0).

%% Both count down; tens calls itself for ten steps at a time.
ones(0) -> ok;
ones(N) -> ones(N - 1).

tens(0) -> ok;
tens(N) ->
    N1 = N - 1, N2 = N1 - 1, N3 = N2 - 1, N4 = N3 - 1, N5 = N4 - 1,
    N6 = N5 - 1, N7 = N6 - 1, N8 = N7 - 1, N9 = N8 - 1,
    tens(N9 - 1).

kept(0, Sum) -> Sum;
kept(N, Sum) -> receive {kept, V} -> kept(N - 1, Sum + V) end.

%% Processes in a ring pass a number on, which counts down.
pass_on(N, Size) ->
    Main = self(),
    Pids = [spawn(fun() -> receive {next, P} -> place(P, Main, 0) end end) || _ <- lists:seq(1, Size)],
    lists:foldl(fun(P, Next) -> P ! {next, Next}, P end, hd(Pids), lists:reverse(Pids)),
    measure(fun() -> hd(Pids) ! {ball, N - 1}, receive done -> ok end end),
    [P ! report || P <- Pids],
    get_sum(Size, 0).

place(Next, Main, Count) ->
    receive
        {ball, 0} -> Main ! done, place(Next, Main, Count + 1);
        {ball, Left} -> Next ! {ball, Left - 1}, place(Next, Main, Count + 1);
        report -> Main ! {value, Count}
    end.

adder(N) ->
    Main = self(),
    spawn(fun() -> Main ! {value, add(N, 0)} end).

add(0, Sum) -> Sum;
add(N, Sum) -> receive {number, V} -> add(N - 1, Sum + V) end.

produce(_, End, End) -> ok;
produce(To, I, End) -> To ! {number, I}, produce(To, I + 1, End).

successor() -> receive {ask, From, Ref, V} -> From ! {Ref, V + 1}, successor() end.

ask_all(_, N, N, Sum) -> Sum;
ask_all(Server, I, N, Sum) ->
    Ref = make_ref(),
    Server ! {ask, self(), Ref, I},
    receive {Ref, V} -> ask_all(Server, I + 1, N, Sum + V) end.

idler(Main) -> fun() -> idle(Main) end.

idle(Main) ->
    receive
        {tell, V} -> Main ! {value, V}, idle(Main);
        stop -> ok
    end.

start_told(K) ->
    F = idler(self()),
    [begin P = spawn(F), P ! {tell, 1}, P end || _ <- lists:seq(1, K)].

stop_all([], Ended) -> Ended;
stop_all([P | Pids], Ended) ->
    Ref = monitor(process, P),
    P ! stop,
    receive {'DOWN', Ref, process, _, _} -> stop_all(Pids, Ended + 1) end.

grown(F) ->
    erlang:garbage_collect(),
    Before = erlang:memory(total),
    V = measure(F),
    erlang:garbage_collect(),
    io:format("grew ~b~n", [erlang:memory(total) - Before]),
    V.

pinger_start(Main, I) ->
    rand:seed(exsss, I),
    receive {all, All, Pings} -> receive start -> ping(Main, All, Pings, 0) end end.

ping(Main, All, Pings, Pings) -> Main ! {value, Pings}, pinger(Main, All, Pings, Pings);
ping(Main, All, Pings, Pongs) ->
    element(rand:uniform(tuple_size(All)), All) ! {ping, self()},
    pinger(Main, All, Pings, Pongs).

pinger(Main, All, Pings, Pongs) ->
    receive
        {ping, From} -> From ! pong, pinger(Main, All, Pings, Pongs);
        pong -> ping(Main, All, Pings, Pongs + 1)
    end.

node(Parent, Number, 1) -> Parent ! {value, Number};
node(Parent, Number, Leaves) ->
    Self = self(),
    Share = Leaves div 10,
    [spawn(fun() -> node(Self, Number + I * Share, Share) end) || I <- lists:seq(0, 9)],
    Parent ! {value, get_sum(10, 0)}.

counter(N) ->
    receive
        increment -> counter(N + 1);
        {retrieve, From} -> From ! {value, N}
    end.

sines(0, Main, Count) -> Main ! {value, Count};
sines(Left, Main, Count) ->
    receive sine ->
        S = math:sin(37.2),
        true = S * S >= 0.0,
        sines(Left - 1, Main, Count + 1)
    end.

scatter(_, 0, _) -> ok;
scatter(Pids, N, Size) -> element(N rem Size + 1, Pids) ! sine, scatter(Pids, N - 1, Size).

mall(0) -> receive {arrival, From, _} -> From ! closing, mall(0) end;
mall(Left) ->
    receive {arrival, A, ColourA} ->
        receive {arrival, B, ColourB} ->
            A ! {meeting, ColourB},
            B ! {meeting, ColourA},
            mall(Left - 1)
        end
    end.

creature(Mall, Main, Colour, Remembered) ->
    Mall ! {arrival, self(), Colour},
    receive
        {meeting, Colour} -> creature(Mall, Main, Colour, Remembered + 1);
        {meeting, Other} -> creature(Mall, Main, 3 - Colour - Other, Remembered + 1);
        closing -> Main ! {value, Remembered}
    end.

%% Half to all of Size messages wait while urgent ones are sent.
flood(N, Size) ->
    Counts = atomics:new(3, []), % Sent, handled, and whether to stop.
    Main = self(),
    Actor = spawn(fun() -> flooded(Main, Counts) end),
    spawn(fun() -> flood_it(Actor, Counts, Size), Main ! flooded end),
    sample(N, fun() ->
        await_backlog(Counts, Size, atomics:get(Counts, 2) + 40),
        now_ns()
    end, Actor),
    atomics:put(Counts, 3, 1),
    receive flooded -> ok end,
    await_empty(Counts),
    Actor ! {report, Main},
    get_sum(1, 0).

flooded(Main, Counts) -> flooded(Main, Counts, 0).
flooded(Main, Counts, Urgents) ->
    receive
        {urgent, At} -> Main ! {took, now_ns() - At}, flooded(Main, Counts, Urgents + 1);
        {report, To} -> To ! {value, Urgents}
    after 0 ->
        receive
            {urgent, At} -> Main ! {took, now_ns() - At}, flooded(Main, Counts, Urgents + 1);
            {report, To} -> To ! {value, Urgents};
            data -> spin(400), atomics:add(Counts, 2, 1), flooded(Main, Counts, Urgents)
        end
    end.

spin(0) -> ok;
spin(N) -> spin(N - 1).

flood_it(Actor, Counts, Size) ->
    case {atomics:get(Counts, 3), atomics:get(Counts, 1) - atomics:get(Counts, 2)} of
        {1, _} -> ok;
        {_, Backlog} when Backlog >= Size -> erlang:yield(), flood_it(Actor, Counts, Size);
        _ ->
            K = min(64, Size),
            times(K, fun() -> Actor ! data end),
            atomics:add(Counts, 1, K),
            flood_it(Actor, Counts, Size)
    end.

await_backlog(Counts, Size, Next) ->
    Handled = atomics:get(Counts, 2),
    case atomics:get(Counts, 1) - Handled < Size div 2 orelse Handled < Next of
        true -> erlang:yield(), await_backlog(Counts, Size, Next);
        false -> ok
    end.

await_empty(Counts) ->
    case atomics:get(Counts, 1) - atomics:get(Counts, 2) of
        0 -> ok;
        _ -> erlang:yield(), await_empty(Counts)
    end.

%% sample(N, Begin, Actor) sends an urgent message N times, when Begin returns.
sample(N, Begin, Actor) ->
    Took = measure(fun() ->
        [begin
            At = Begin(),
            Actor ! {urgent, At},
            receive {took, T} -> T end
        end || _ <- lists:seq(1, N)]
    end),
    [io:format("sample ~b~n", [T]) || T <- Took].

%% Size processes work for 1 ms a message, and send themselves the next.
busy(N, Size) ->
    Main = self(),
    Hero = spawn_opt(fun() -> hero(Main, 0) end, [{priority, high}]),
    Busy = [spawn(fun work/0) || _ <- lists:seq(1, Size)],
    [P ! work || P <- Busy],
    process_flag(priority, high), % The sender has a processor.
    sample(N, fun() -> receive after 2 -> now_ns() end end, Hero),
    [exit(P, kill) || P <- Busy],
    Hero ! {report, Main},
    get_sum(1, 0).

hero(Main, Urgents) ->
    receive
        {urgent, At} -> Main ! {took, now_ns() - At}, hero(Main, Urgents + 1);
        {report, To} -> To ! {value, Urgents}
    end.

work() -> receive work -> spin_until(now_ns() + 1000000), self() ! work, work() end.

spin_until(End) ->
    case now_ns() < End of
        true -> spin_until(End);
        false -> ok
    end.

fib(N) when N < 2 -> N;
fib(N) ->
    Main = self(),
    Ref = make_ref(),
    spawn(fun() -> Main ! {Ref, fib(N - 1)} end),
    B = fib(N - 2),
    receive {Ref, A} -> A + B end.
