// A recording of what the workers did: that of the program, or one from a file.
import { card, clock, count, el, link, replace, table, time } from './dom.js';
import { timelines } from './timeline.js';

let parts = null, shown = null, problem = '';

export const recording = {
  title: 'Recording',
  query: () => ({ view: 'overview' }),
  enter(page) {
    parts = null;
    if (shown) return;
    if (page.system.recorded) fetchIt(page);
    else problem = 'This program is not recorded: it has to call inspect.Inspector.Record. A recording from a file can be opened.';
  },
  draw(page, main) {
    if (!parts || !main.contains(parts.bar)) build(page, main);
    parts.lines.paint(); // As the theme or the size may have changed.
  },
};

async function fetchIt(page) {
  try {
    const r = await fetch('api/recording');
    const text = await r.text();
    if (!r.ok) throw new Error(JSON.parse(text).error);
    take(page, text, 'of this program');
  } catch (e) { fail(page, e.message); }
}

async function open(page, file) {
  try { take(page, await file.text(), file.name); } catch (e) { fail(page, file.name + ': ' + e.message); }
}

function take(page, text, where) {
  shown = understand(text);
  shown.where = where;
  problem = '';
  if (parts) { parts = null; page.draw(); }
}

function fail(page, why) {
  problem = why;
  if (parts) { parts = null; page.draw(); }
}

// understand makes tracks with slices of a recording's events: an event of a
// worker lasts until its next one, but for those that are within work.
export function understand(text) {
  let file = null;
  try { file = JSON.parse(text); } catch (e) { throw new Error('this is no recording, or not all of it: ' + e.message); }
  const b = file && file.troupe;
  if (!b || b.version !== 1) throw new Error('this is no recording that this page can read' + (b && b.version ? ': its version is ' + b.version : ''));
  const bad = (what) => { throw new Error('this recording is damaged: ' + what); };
  for (const part of ['events', 'labels', 'kinds']) if (!Array.isArray(b[part])) bad('it has no ' + part);
  const tracks = new Map(), marks = [], works = new Map();
  const track = (id) => {
    if (!tracks.has(id)) tracks.set(id, { id, number: 0, since: 0, slices: [], ticks: [], messages: [], open: null, said: null });
    return tracks.get(id);
  };
  const close = (t, at) => {
    if (t.said) { t.said.to = at; t.said = null; }
    if (t.open) { t.open.to = at; t.open = null; }
  };
  let before = -Infinity;
  b.events.forEach((e, n) => {
    if (!Array.isArray(e) || e.length !== 5 || !e.every(Number.isFinite)) bad('event ' + n + ' is not five numbers');
    const [at, worker, k, l, arg] = e, kind = b.kinds[k], label = l < 0 ? ['', '', ''] : b.labels[l];
    if (kind === undefined || !Array.isArray(label) || worker < 0) bad('event ' + n + ' is of no kind, label or worker that there is');
    if (at < before) bad('event ' + n + ' is older than the one before');
    before = at;
    const t = track(worker);
    if (kind !== 'blocked' && !t.number++) t.since = at; // That is not from its own tape.
    if (kind === 'message') {
      if (t.said) t.said.to = at;
      t.said = { from: at, to: at, name: label[2] };
      t.messages.push(t.said);
    } else if (kind === 'mark' || kind === 'failure' || kind === 'blocked') {
      const mark = { at, worker, kind, name: label[2], within: t.open };
      t.ticks.push(mark);
      marks.push(mark);
    } else {
      close(t, at);
      if (kind === 'run' || kind === 'resume') {
        t.open = { from: at, to: at, kind: 'work', again: kind === 'resume', label };
        const key = label.join('|');
        if (!works.has(key)) works.set(key, { label, slices: [], runs: 0 });
        works.get(key).slices.push(t.open);
        if (kind === 'run') works.get(key).runs++;
      } else if (kind === 'park' || kind === 'search') t.open = { from: at, to: at, kind };
      else if (kind !== 'unpark') t.ticks.push({ at, worker, kind, name: kind === 'steal' ? 'from worker ' + arg : label[2] });
      if (t.open) t.slices.push(t.open);
    }
  });
  const last = Math.max(Number.isFinite(before) ? before : 0, Number.isFinite(b.taken_ns) ? b.taken_ns : 0);
  for (const t of tracks.values()) close(t, last);
  // Who did much reaches back less far than who did little: all are known from
  // here on.
  const most = Math.max(0, ...[...tracks.values()].map((t) => t.number));
  const full = b.missing ? [...tracks.values()].filter((t) => t.number > most / 2).map((t) => t.since) : [];
  return {
    full: full.length ? Math.max(...full) : null, name: String(b.name ?? ''), reason: String(b.reason ?? ''), missing: b.missing || 0, number: b.events.length,
    from: b.events.length ? b.events[0][0] : 0, to: last, taken: Date.parse(b.epoch) + last / 1e6,
    tracks: [...tracks.values()].sort((x, y) => x.id - y.id), marks, works: [...works.values()],
  };
}

function build(page, main) {
  const input = el('input', { type: 'file', accept: '.json,application/json', id: 'open-recording', class: 'unseen', onchange: (e) => { if (e.target.files[0]) open(page, e.target.files[0]); } });
  const tell = el('p', { class: 'dim mono', id: 'under-pointer' }, '\u00a0');
  const lines = timelines(shown, tell);
  const bar = el('div', { class: 'bar' },
    el('button', { onclick: () => fetchIt(page) }, 'Take a new one'),
    el('button', { onclick: () => input.click() }, 'Open a file'), input,
    el('a', { href: 'api/recording', download: 'recording.json' }, 'Save'),
    el('span', { class: 'grow' }),
    el('button', { 'aria-label': 'Zoom in', onclick: () => lines.zoom(0.5) }, '+'), el('button', { 'aria-label': 'Zoom out', onclick: () => lines.zoom(2) }, '−'), el('button', { onclick: () => lines.all() }, 'All'));
  parts = { bar, lines };
  main.replaceChildren(bar);
  if (problem) main.append(el('p', { class: 'notice bad', role: 'alert' }, problem));
  if (!shown) return;
  const r = shown;
  main.append(...[
    r.reason ? el('p', { class: 'notice bad' }, 'Written because of ' + r.reason) : null,
    card('What the workers did: ' + r.name + ' ' + r.where + ', until ' + clock(r.taken) + '; ' + count(r.number) + ' events' + (r.missing ? ', after ' + count(r.missing) + ' that are not kept' : ''),
      el('p', { class: 'dim' }, 'colours: work', el('i', { class: 'key steal' }), 'stole', el('i', { class: 'key park' }), 'parked', el('i', { class: 'key preempt' }), 'preempted, blocked or failed; drag, wheel, + − ← → 0'),
      lines.node, tell),
    totals(r), happened(r)].filter(Boolean));
  lines.paint();
}

const who = (label) => (label[0] === 'actor' && label[1] ? link(label[1], label[2]) : (label[2] || label[0]) + (label[1] ? ' ' + label[1] : ''));

function totals(r) {
  const rows = r.works.map((w) => {
    const took = w.slices.map((s) => s.to - s.from);
    return { w, sum: took.reduce((a, b) => a + b, 0), most: Math.max(...took) };
  }).sort((a, b) => b.sum - a.sum).slice(0, 50);
  if (!rows.length) return null;
  return card('Where the time went', table([{ title: 'Work' }, { title: 'Class', hide: true }, { title: 'Time', n: true }, { title: 'Longest', n: true }, { title: 'Runs', n: true }], rows.map(({ w, sum, most }) => ({
    key: 'r' + w.label.join('|'), cells: [who(w.label), w.label[0], time(sum / 1e9), time(most / 1e9), count(w.runs)],
  }))));
}

function happened(r) {
  if (!r.marks.length) return null;
  return card('Marks and failures', table([{ title: 'Before the end', n: true }, { title: 'Worker', n: true }, { title: 'What' }, { title: 'Of', hide: true }, { title: '', wrap: true }], r.marks.slice(-200).reverse().map((m, n) => ({
    key: 'm' + n, cells: [time((r.to - m.at) / 1e9), m.worker, el('span', { class: 'tag ' + (m.kind === 'mark' ? '' : 'bad') }, m.kind), m.within && m.within.label ? who(m.within.label) : '', m.name],
  }))));
}
