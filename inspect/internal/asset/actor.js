// One actor: its mailbox over time, what it is at, its errors, its links.
import { card, clock, count, el, frames, fullness, handler, lanes, link, plain, replace, stack, state, table, time, title } from './dom.js';
import { Plot } from './chart.js';

let past = [], chart = null, flow = null, seen = null, note = '', parts = null;

export const actor = {
  under: 'actors',
  query: (page) => ({ view: 'actor', pid: page.arg }),
  enter() {
    if (chart) { chart.end(); flow.end(); }
    past = []; parts = null; note = ''; seen = null;
  },
  draw(page, main) {
    const n = page.last;
    if (!parts || !main.contains(parts)) build(main);
    if (!n) return;
    if (n.error) {
      replace(parts, el('p', { class: 'notice bad' }, n.error), el('p', {}, el('a', { href: '#actors' }, 'All actors')));
      return;
    }
    const a = n.view;
    if (!a) return;
    if (seen !== n) {
      const b = past[past.length - 1];
      const seconds = b ? (n.sample.t - b.t) / 1000 || 1 : NaN, rate = Math.max(0, (a.handled - b?.handled) / seconds);
      past.push({
        t: n.sample.t, handled: a.handled, mailbox: a.mailbox, rate, came: Math.max(0, rate + (a.mailbox - b?.mailbox) / seconds), lanes: (a.lanes || []).map((l) => l.length),
      });
      past = past.slice(-1800);
      seen = n;
    }
    replace(parts, ...content(page, a));
    const times = past.map((p) => p.t);
    const span = Math.max(60e3, times.at(-1) - times[0]);
    if (chart.place.isConnected) {
      chart.draw(times, [2, 1, 0].map((i) => past.map((p) => p.lanes[i] ?? NaN)), span);
      flow.draw(times, [past.map((p) => p.rate), past.map((p) => p.came)], span);
    }
  },
};

function build(main) {
  chart = new Plot('Mailbox', ['data', 'management', 'control'], count);
  flow = new Plot('Messages per second', ['handled', 'came'], count);
  parts = el('div');
  main.replaceChildren(parts);
}

// drain says when the mailbox is empty, at the rates of the last ten seconds.
function drain(a) {
  const to = past.at(-1), from = past.find((p) => p.t >= to?.t - 10e3);
  const seconds = to && (to.t - from.t) / 1000;
  if (!a.mailbox || !(seconds > 1)) return '';
  const less = (from.mailbox - to.mailbox) / seconds;
  return less > 0 ? 'empty in ' + time(a.mailbox / less) + ' at this rate' : 'not getting shorter';
}

function content(page, a) {
  const facts = [
    ['PID', '<' + a.pid + '>'], ['Kind', a.kind], ['Messages', a.message], ['Names', (a.names || []).join(', ')], ['Parent', link(a.parent)],
    ['Children', a.children ? count(a.children) : ''], ['Priority', a.priority], ['Handled', count(a.handled || 0)], ['Restarts', count(a.restarts || 0)],
    ['Oldest message', a.oldest_message_seconds ? time(a.oldest_message_seconds) : ''],
    ['Latency of its kind, p99', kindOf(page, a)?.latency_p99_seconds ? time(kindOf(page, a).latency_p99_seconds) : ''],
    ['Handler of its kind, p99', kindOf(page, a)?.duration_p99_seconds ? time(kindOf(page, a).duration_p99_seconds) : ''],
    ['Up', time(a.uptime_seconds)], ['Stashed', a.stashed ? count(a.stashed) : ''], ['Timers', a.timers ? count(a.timers) : ''], ['Monitored by', a.monitored_by ? count(a.monitored_by) : ''],
    ...(a.facts || []).map((f) => [f.title, f.text]),
  ].filter(([, v]) => v);
  const last = past[past.length - 1];
  return [
    el('div', { class: 'bar' }, el('h1', {}, title(a)), state(a), handler(a.handler), el('span', { class: 'grow' }), ...actions(page, a)),
    ...(a.findings || []).map((f) => el('p', { class: 'notice ' + (f.level === 'ERROR' ? 'bad' : '') }, f.text)),
    note ? el('p', { class: 'notice', role: 'status' }, note) : null,
    a.gone ? el('p', { class: 'notice' }, 'This actor has stopped.' + (a.handler ? ' A handler of it was killed, and has not returned: Go cannot end a goroutine.' : '') + (a.failures ? ' Its last errors are below.' : '')) : null,
    a.handler && a.handler.slow ? card(a.gone ? 'The handler that has not returned' : 'The current handler', el('p', {}, 'It has been handling ', el('code', {}, a.handler.message || a.handler.handler), a.handler.message ? ' (' + a.handler.handler + ')' : '', ' for ' + time(a.handler.seconds) + '.'),
      a.handler.stack ? stack(a.handler.stack, 'stack') : null) : null,
    a.around ? card('Waits', table([{ title: 'Who' }, { title: 'How' }, { title: 'On' }, { title: '' }], a.around.map((w) => ({
      key: w.from + w.to, cells: [link(w.from, w.from_name), w.kind, link(w.to, w.to_name), w.in_cycle ? el('span', { class: 'tag bad' }, 'in a ring') : ''],
    })))) : null,
    a.gone ? null : el('div', { class: 'grid' },
      card('Mailbox', el('div', { class: 'figure' }, el('b', {}, count(a.mailbox || 0)), el('span', {}, drain(a), ' ', ...lanes(a), fullness(a))), chart.place),
      card('Messages per second', el('div', { class: 'figure' }, el('b', {}, last && Number.isFinite(last.rate) ? count(last.rate) : '–'),
        el('span', {}, last && Number.isFinite(last.came) ? count(last.came) + ' came' : '')), flow.place),
      card('Facts', el('dl', { class: 'facts' }, ...facts.flatMap(([k, v]) => [el('dt', {}, k), el('dd', {}, v)])))),
    tasks(a),
    failures(a),
    around('Links', a.links, a.link_count), around('Monitors', a.monitors, a.monitor_count),
  ];
}

const kindOf = (page, a) => (page.last.sample.kinds || []).find((k) => k.kind === a.kind);

function failures(a) {
  if (!a.failures || !a.failures.length) return null;
  const groups = []; // What is the same is said once, and counted.
  for (const f of [...a.failures].reverse()) {
    const known = groups.find((g) => g.error === f.error && origin(g.stack) === origin(f.stack));
    if (known) known.times.push(f.time);
    else groups.push({ ...f, times: [f.time] });
  }
  return card('Last errors', ...groups.map((f) => el('div', { 'data-key': 'failure' + f.times.at(-1) },
    el('p', {}, el('span', { class: 'tag bad' }, f.exit), ' ', clock(f.times[0]), f.times.length > 1 ? ' and ' + (f.times.length - 1) + ' times before, since ' + clock(f.times.at(-1)) : '', ' ',
      el('span', { class: 'error' }, f.error)),
    f.stack ? el('details', { open: true }, el('summary', {}, 'Stack'), stack(f.stack, 'stack of ' + f.times.at(-1))) : null)));
}

// origin is the innermost frame of the program, without what is different each time.
const origin = (text) => frames(text).own.slice(0, 2).join(' ').replace(/0x[0-9a-f]+\??/g, '');

function tasks(a) {
  if (!a.tasks || !a.tasks.length) return null;
  return card('Tasks (' + count(a.task_count || a.tasks.length) + ')', table([{ title: 'Task', n: true }, { title: 'Name' }, { title: 'Group', hide: true }, { title: 'State' }, { title: 'Place', hide: true }],
    a.tasks.slice(0, 200).map((t) => ({ key: 'task' + t.id, cells: [count(t.id), t.name, t.group || '', t.queued ? t.state + ', queued' : t.state, el('span', { class: 'dim mono' }, t.place)] }))));
}

function around(what, pids, number) {
  if (!pids || !pids.length) return null;
  return card(what + ' (' + count(number || pids.length) + ')', el('p', {}, ...pids.slice(0, 200).flatMap((p) => [link(p), ' '])));
}

function actions(page, a) {
  if (!page.system.actions || a.gone) return [];
  const act = async (what) => {
    if (!confirm(plain(what + ' ' + title(a) + ' <' + a.pid + '>?'))) return;
    const r = await fetch('api/actors/' + a.pid + '/' + what, { method: 'POST', headers: { 'Troupe-Action': page.system.action_key } });
    note = r.ok ? what + ': done' : (await r.json()).error;
    page.draw();
  };
  const rest = a.state === 'suspended' ? 'resume' : 'suspend';
  return [
    el('button', { 'data-key': 'suspend', onclick: () => act(rest) }, rest === 'resume' ? 'Resume' : 'Suspend'),
    el('button', { 'data-key': 'stop', onclick: () => act('stop') }, 'Stop'),
    el('button', { 'data-key': 'kill', class: 'danger', onclick: () => act('kill') }, 'Kill'),
  ];
}
