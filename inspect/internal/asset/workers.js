// The scheduler's workers as time-lines, and what holds them.
import { card, count, el, replace, table, time } from './dom.js';
import { lane } from './chart.js';

let parts = null;

export const workers = {
  title: 'Workers',
  query: () => ({ view: 'workers' }),
  enter() { parts = null; },
  draw(page, main) {
    if (!parts || !main.contains(parts.lines)) build(main);
    const n = page.last;
    if (!n || !n.view) return;
    timelines(page, n.view);
    details(n.view);
  },
};

function build(main) {
  parts = { lines: el('div', { class: 'workers' }), rest: el('div'), by: new Map() };
  main.replaceChildren(card('What each worker did, a column for each look, the newest on the right',
    el('p', { class: 'dim' }, 'height: work run', el('i', { class: 'key steal' }), 'stole', el('i', { class: 'key park' }), 'parked', el('i', { class: 'key preempt' }), 'preempted'),
    parts.lines), parts.rest);
}

function timelines(page, v) {
  const ids = v.workers.map((w) => w.id);
  if (String([...parts.by.keys()]) !== String(ids)) {
    parts.by = new Map(ids.map((id) => [id, {
      name: el('span', {}, 'worker ' + id), canvas: el('canvas', { class: 'lane', role: 'img', 'aria-label': 'Worker ' + id + ' over time' }), now: el('span', { class: 'dim' }),
    }]));
    parts.lines.replaceChildren(...[...parts.by.values()].flatMap((p) => [p.name, p.canvas, p.now]));
  }
  const all = page.samples.filter((s) => s.interval_seconds > 0);
  const most = Math.max(1, ...all.flatMap((s) => s.workers.map((w) => w.ran)));
  for (const w of v.workers) {
    const p = parts.by.get(w.id);
    const cells = all.map((s) => s.workers.find((one) => one.id === w.id));
    const held = v.holders.find((h) => h.worker === w.id);
    p.now.textContent = (held ? 'held for ' + time(held.seconds) : w.state) + (w.spare ? ', spare' : '');
    lane(p.canvas, cells, most);
  }
}

function details(v) {
  const queued = Object.entries(v.queued).map(([p, n]) => p + ' ' + count(n)).join(', ');
  replace(parts.rest,
    v.holders.length ? card('What holds workers', table([{ title: 'Worker', n: true }, { title: 'Work', wrap: true }, { title: 'For', n: true }, { title: '' }], v.holders.map((h) => ({
      key: 'h' + h.worker, pid: h.pid, cells: [h.worker, h.pid ? el('a', { href: '#actor/' + h.pid }, h.work) : h.work, time(h.seconds), h.replaced ? 'a spare is in its place' : ''],
    })))) : null,
    card('Totals', el('p', { class: 'dim' }, v.awake + ' awake; queued: ' + queued + '; ' + count(v.jobs) + ' jobs under way'), table([
      { title: 'Worker', n: true }, { title: 'State' }, { title: 'CPU', n: true, hide: true }, { title: 'Ran', n: true }, { title: 'Stolen', n: true }, { title: 'Parked', n: true },
      { title: 'Preempted', n: true }, { title: 'Yielded', n: true, hide: true }, { title: 'Suspended', n: true, hide: true }, { title: 'Blocked', n: true, hide: true },
    ], v.workers.map((w) => ({
      key: 'w' + w.id, cells: [w.id + (w.spare ? ' (spare)' : ''), w.state, w.cpu < 0 ? '–' : w.cpu, count(w.ran), count(w.stolen), count(w.parked), count(w.preempted), count(w.yielded), count(w.suspended), count(w.blocked)],
    })))));
}
