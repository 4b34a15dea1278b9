// One actor: its mailbox over time, what it is at, its errors, its links.
import { card, clock, count, el, handler, lanes, link, plain, replace, state, table, time, title } from './dom.js';
import { lines } from './chart.js';

let past = [], chart = null, flow = null, seen = null, note = '', parts = null;

export const actor = {
  under: 'actors',
  query: (page) => ({ view: 'actor', pid: page.arg }),
  enter() { past = []; parts = null; note = ''; seen = null; },
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
      past.push({ t: n.sample.t, handled: a.handled, rate: b ? Math.max(0, (a.handled - b.handled) / ((n.sample.t - b.t) / 1000 || 1)) : NaN, lanes: (a.lanes || []).map((l) => l.length) });
      past = past.slice(-240);
      seen = n;
    }
    replace(parts, ...content(page, a));
    const times = past.map((p) => p.t);
    if (chart.isConnected) {
      lines(chart, times, ['data', 'management', 'control'].map((_, i) => ({ values: past.map((p) => p.lanes[2 - i] ?? NaN) })), count);
      lines(flow, times, [{ values: past.map((p) => p.rate) }], count);
    }
  },
};

function build(main) {
  chart = el('canvas', { class: 'tall', role: 'img', 'aria-label': 'Mailbox over time' });
  flow = el('canvas', { class: 'tall', role: 'img', 'aria-label': 'Messages handled per second, over time' });
  parts = el('div');
  main.replaceChildren(parts);
}

function content(page, a) {
  const facts = [
    ['PID', '<' + a.pid + '>'], ['Kind', a.kind], ['Messages', a.message], ['Names', (a.names || []).join(', ')], ['Parent', link(a.parent)],
    ['Children', a.children ? count(a.children) : ''], ['Priority', a.priority], ['Handled', count(a.handled || 0)], ['Restarts', count(a.restarts || 0)],
    ['Up', time(a.uptime_seconds)], ['Stashed', a.stashed ? count(a.stashed) : ''], ['Timers', a.timers ? count(a.timers) : ''], ['Monitored by', a.monitored_by ? count(a.monitored_by) : ''],
    ...(a.facts || []).map((f) => [f.title, f.text]),
  ].filter(([, v]) => v);
  const last = past[past.length - 1];
  return [
    el('div', { class: 'bar' }, el('h1', {}, title(a)), state(a), handler(a.handler), el('span', { class: 'grow' }), ...actions(page, a)),
    note ? el('p', { class: 'notice', role: 'status' }, note) : null,
    a.gone ? el('p', { class: 'notice' }, 'This actor has stopped.' + (a.handler ? ' A handler of it was killed, and has not returned: Go cannot end a goroutine.' : '') + (a.failures ? ' Its last errors are below.' : '')) : null,
    a.handler && a.handler.slow ? card(a.gone ? 'The handler that has not returned' : 'The current handler', el('p', {}, 'It has been handling ', el('code', {}, a.handler.message || a.handler.handler), a.handler.message ? ' (' + a.handler.handler + ')' : '', ' for ' + time(a.handler.seconds) + '.'),
      a.handler.stack ? el('pre', { tabindex: 0, 'data-key': 'stack' }, a.handler.stack) : null) : null,
    a.around ? card('Waits', table([{ title: 'Who' }, { title: 'How' }, { title: 'On' }, { title: '' }], a.around.map((w) => ({
      key: w.from + w.to, cells: [link(w.from, w.from_name), w.kind, link(w.to, w.to_name), w.in_cycle ? el('span', { class: 'tag bad' }, 'in a ring') : ''],
    })))) : null,
    a.gone ? null : el('div', { class: 'grid' },
      card('Mailbox: data, management, control', el('div', { class: 'figure' }, el('b', {}, count(a.mailbox || 0)), el('span', {}, ...lanes(a))), chart),
      card('Messages handled per second', el('div', { class: 'figure' }, el('b', {}, last && Number.isFinite(last.rate) ? count(last.rate) : '–')), flow),
      card('Facts', el('dl', { class: 'facts' }, ...facts.flatMap(([k, v]) => [el('dt', {}, k), el('dd', {}, v)])))),
    tasks(a),
    failures(a),
    around('Links', a.links, a.link_count), around('Monitors', a.monitors, a.monitor_count),
  ];
}

function failures(a) {
  if (!a.failures || !a.failures.length) return null;
  return card('Last errors', ...[...a.failures].reverse().map((f) => el('div', { 'data-key': 'failure' + f.time },
    el('p', {}, el('span', { class: 'tag bad' }, f.exit), ' ', clock(f.time), ' ', el('span', { class: 'error' }, f.error)),
    f.stack ? el('details', { open: true }, el('summary', {}, 'Stack'), el('pre', { tabindex: 0 }, f.stack)) : null)));
}

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
