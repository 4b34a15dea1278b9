// What the system as a whole does.
import { card, count, el, replace, table, time } from './dom.js';
import { lines } from './chart.js';
import { wrong } from './findings.js';

const figures = [
  { title: 'Messages handled per second', now: (s) => count(s.handled_per_second), series: [(s) => s.handled_per_second], format: count, note: (s) => count(s.actors) + ' actors' },
  { title: 'Latency, p99 and p50', now: (s) => time(s.latency_p99_seconds), series: [(s) => s.latency_p99_seconds, (s) => s.latency_p50_seconds], format: time, note: (s) => 'p50 ' + time(s.latency_p50_seconds) },
  { title: 'Time in handlers, p99 and p50', now: (s) => time(s.duration_p99_seconds), series: [(s) => s.duration_p99_seconds, (s) => s.duration_p50_seconds], format: time, note: (s) => 'p50 ' + time(s.duration_p50_seconds) },
  { title: 'Messages in mailboxes', now: (s) => count(s.mailbox), series: [(s) => s.mailbox], format: count, note: (s) => s.senders ? count(s.senders) + ' senders wait' : 'no sender waits' },
  { title: 'Wait for a worker, p99', now: (s) => time(s.delay_p99_seconds), series: [(s) => s.delay_p99_seconds], format: time, note: (s) => s.awake + ' workers awake' },
  { title: 'Handlers that wait for actors', now: (s) => count(s.waits), series: [(s) => s.waits, (s) => s.in_cycle], format: count, note: (s) => s.in_cycle ? s.in_cycle + ' in a ring' : 'no ring' },
  { title: 'Dead letters per second', now: (s) => count(s.dead_letters_per_second), series: [(s) => s.dead_letters_per_second], format: count, note: (s) => count(s.dead_letters) + ' so far' },
  { title: 'Slow handlers, restarts', now: (s) => count(s.slow_handlers), series: [(s) => s.slow_handlers, (s) => s.restarts], format: count, note: (s) => count(s.restarts) + ' restarts' },
];

let boxes = null;

export const overview = {
  title: 'Overview',
  query: () => ({ view: 'overview' }),
  enter() { boxes = null; },
  draw(page, main) {
    if (!boxes || !main.contains(boxes.grid)) build(main);
    const all = page.samples, s = all[all.length - 1];
    if (!s) return;
    replace(boxes.wrong, wrong(page));
    const measured = all.filter((one) => one.interval_seconds > 0), times = measured.map((one) => one.t);
    figures.forEach((f, i) => {
      const b = boxes.all[i];
      b.now.textContent = f.now(s);
      b.note.textContent = f.note(s);
      lines(b.canvas, times, f.series.map((get) => ({ values: measured.map(get) })), f.format);
    });
    const said = page.last && page.last.view && page.last.view.facts || [];
    boxes.facts.hidden = !said.length;
    replace(boxes.said, el('dl', { class: 'facts' }, ...said.flatMap((f) => [el('dt', {}, f.title), el('dd', {}, f.text)])));
    replace(boxes.kinds, table([
      { title: 'Kind' }, { title: 'Actors', n: true }, { title: 'Handled/s', n: true }, { title: 'In mailboxes', n: true },
      { title: 'Latency p99', n: true, hide: true }, { title: 'Handler p99', n: true, hide: true }, { title: 'Failed', n: true, hide: true }, { title: 'Restarts', n: true, hide: true },
    ], (s.kinds || []).map((k) => ({
      key: k.kind,
      cells: [el('a', { href: '#actors/' + encodeURIComponent(k.kind), class: 'name mono', title: k.kind }, k.kind), count(k.actors), count(k.handled_per_second),
        count(k.mailbox), time(k.latency_p99_seconds), time(k.duration_p99_seconds), count(k.failed), count(k.restarts)],
    }))));
  },
};

function build(main) {
  const all = figures.map((f) => ({
    now: el('b', {}, '–'), note: el('span'), canvas: el('canvas', { role: 'img', 'aria-label': f.title + ' over time' }),
  }));
  const grid = el('div', { class: 'grid' }, ...all.map((b, i) => card(figures[i].title, el('div', { class: 'figure' }, b.now, b.note), b.canvas)));
  const kinds = el('div'), said = el('div'), facts = card('The program says', said);
  facts.hidden = true;
  const wrong = el('section', { class: 'card', id: 'findings', 'aria-label': 'What is wrong now', 'aria-live': 'polite' });
  boxes = { grid, all, kinds, said, facts, wrong };
  main.replaceChildren(wrong, grid, facts, card('By kind of actor', kinds));
}
