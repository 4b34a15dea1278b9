// What the system as a whole does.
import { card, count, el, matches, replace, search, table, time } from './dom.js';
import { Plot } from './chart.js';
import { wrong } from './findings.js';

const figures = [
  { title: 'Messages handled per second', now: (s) => count(s.handled_per_second), of: { handled: 'handled_per_second' }, format: count, note: (s) => count(s.actors) + ' actors' },
  { title: 'Messages in mailboxes', now: (s) => count(s.mailbox), of: { messages: 'mailbox', 'waiting senders': 'senders' }, format: count, note: (s) => s.senders ? count(s.senders) + ' senders wait' : 'no sender waits' },
  { title: 'Latency', now: (s) => time(s.latency_p99_seconds), of: { p99: 'latency_p99_seconds', p50: 'latency_p50_seconds' }, format: time, note: (s) => 'p99; p50 ' + time(s.latency_p50_seconds) },
  { title: 'Time in handlers', now: (s) => time(s.duration_p99_seconds), of: { p99: 'duration_p99_seconds', p50: 'duration_p50_seconds' }, format: time, note: (s) => 'p99; p50 ' + time(s.duration_p50_seconds) },
  { title: 'What has waited for longest', now: (s) => time(Math.max(s.longest_handler_seconds, s.oldest_message_seconds)), of: { handler: 'longest_handler_seconds', message: 'oldest_message_seconds' }, format: time, note: (s) => 'handler ' + time(s.longest_handler_seconds) + ', message ' + time(s.oldest_message_seconds) },
  { title: 'Wait for a worker, p99', now: (s) => time(s.delay_p99_seconds), of: { p99: 'delay_p99_seconds' }, format: time, note: (s) => s.awake + ' workers awake' },
  { title: 'Handlers that wait for actors', now: (s) => count(s.waits), of: { waiting: 'waits', 'in a ring': 'in_cycle' }, format: count, note: (s) => s.in_cycle ? s.in_cycle + ' in a ring' : 'no ring' },
  { title: 'Failures per second', now: (s) => count(s.restarts_per_second + s.dead_letters_per_second), of: { restarts: 'restarts_per_second', 'dead letters': 'dead_letters_per_second', 'slow handlers': 'slow_per_second' }, format: count, note: (s) => count(s.restarts) + ' restarts, ' + count(s.dead_letters) + ' dead letters so far' },
];

// Quantiles of nothing are 0, and no line.
const unmeasured = /^(latency|duration|delay)_/;
const spans = [['60', '1 minute'], ['', '5 minutes'], ['900', '15 minutes'], ['3600', '1 hour']];

let boxes = null;

export const overview = {
  title: 'Overview',
  query: () => ({ view: 'overview' }),
  enter() {
    if (boxes) for (const b of boxes.all) b.plot.end();
    boxes = null;
  },
  draw(page, main) {
    if (!boxes || !main.contains(boxes.grid)) build(page, main);
    const all = page.samples, s = all[all.length - 1];
    if (!s) return;
    replace(boxes.wrong, wrong(page));
    const span = (Number(page.params.get('span')) || 300) * 1000, { times, figures: past } = page.past;
    const from = Math.max(0, times.findIndex((t) => t >= times.at(-1) - span) - 1), shown = times.slice(from);
    figures.forEach((f, i) => {
      const b = boxes.all[i];
      b.now.textContent = f.now(s);
      b.note.textContent = f.note(s);
      b.plot.draw(shown, Object.values(f.of).map((name) => {
        const values = (past[name] || []).slice(from);
        return unmeasured.test(name) ? values.map((v) => v || NaN) : values;
      }), span);
    });
    const said = page.last && page.last.view && page.last.view.facts || [];
    boxes.facts.hidden = !said.length;
    replace(boxes.said, el('dl', { class: 'facts' }, ...said.flatMap((f) => [el('dt', {}, f.title), el('dd', {}, f.text)])));
    replace(boxes.kinds, table([
      { title: 'Kind' }, { title: 'Actors', n: true }, { title: 'Handled/s', n: true }, { title: 'In mailboxes', n: true },
      { title: 'Latency p99', n: true, hide: true }, { title: 'Handler p99', n: true, hide: true }, { title: 'Failed', n: true, hide: true }, { title: 'Restarts', n: true, hide: true },
    ], (s.kinds || []).filter((k) => matches(page, k.kind)).map((k) => ({
      key: k.kind,
      cells: [el('a', { href: '#actors/' + encodeURIComponent(k.kind), class: 'name mono', title: k.kind }, k.kind), count(k.actors), count(k.handled_per_second),
        count(k.mailbox), time(k.latency_p99_seconds), time(k.duration_p99_seconds), count(k.failed), count(k.restarts)],
    }))));
  },
};

function build(page, main) {
  const all = figures.map((f) => ({
    now: el('b', {}, '–'), note: el('span'), plot: new Plot(f.title, Object.keys(f.of), f.format),
  }));
  const grid = el('div', { class: 'grid plots' }, ...all.map((b, i) => card(figures[i].title, el('div', { class: 'figure' }, b.now, b.note), b.plot.place)));
  const kinds = el('div'), said = el('div'), facts = card('The program says', said);
  facts.hidden = true;
  const wrong = el('section', { class: 'card', id: 'findings', 'aria-label': 'What is wrong now', 'aria-live': 'polite' });
  const bar = el('div', { class: 'bar' }, search(page, page.draw), el('span', { class: 'grow' }),
    el('select', { 'aria-label': 'Time that is shown', onchange: (e) => { page.set({ span: e.target.value }); page.chosen(e.target); page.draw(); } },
      ...spans.map(([v, text]) => el('option', { value: v, selected: v === (page.params.get('span') || '') }, 'the last ' + text))));
  boxes = { grid, all, kinds, said, facts, wrong };
  main.replaceChildren(wrong, bar, grid, facts, card('By kind of actor', kinds));
}
