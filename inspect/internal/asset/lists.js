// Jobs, timers and names: lists that the server filters, sorts and divides into
// pages, as there may be a hundred thousand.
import { clock, count, el, link, replace, search, table, time } from './dom.js';

const typeNames = { job: 'single job', strand: 'strand', task: 'task', other: 'other' };
// due says when a timer is. One that is a little late is on its way; one that is
// later waits for room in the lane.
const due = (s) => (s > 0 ? time(s) : s < -1 ? el('span', { class: 'tag warn' }, 'waits for room') : 'due');

const tones = { waiting: 'idle', 'timed out': 'bad', preempted: 'warn' };

// list makes a view: filters are [parameter, label, options], rows makes those of
// the table.
function list({ title, view, sort, filters, rows, note, columns, all, cursor }) {
  const usual = { sort: sort || '', search: '', cursor: '', ...Object.fromEntries(filters.map(([name]) => [name, ''])) };
  const q = { ...usual, back: [] };
  let parts = null;
  const keep = (page) => { // In the address is what is not as usual.
    page.set(Object.fromEntries(Object.entries(usual).map(([k, v]) => [k, q[k] === v ? '' : q[k]])));
    page.reopen();
  };
  const change = (page, what) => { Object.assign(q, { cursor: '', back: [] }, what); keep(page); };

  function build(page, main) {
    const input = search(page, () => change(page, { search: page.params.get('search') || '' }));
    const selects = filters.map(([name, label, options]) => el('select', { 'aria-label': label, onchange: (e) => { change(page, { [name]: e.target.value }); page.chosen(e.target); } },
      ...options.map(([v, text]) => el('option', { value: v, selected: v === q[name] }, text))));
    parts = {
      count: el('span', { class: 'dim', 'aria-live': 'off' }),
      back: el('button', { onclick: () => { q.cursor = q.back.pop() ?? ''; keep(page); } }, '‹ Back'),
      next: el('button', {}, 'Next ›'), list: el('div', { class: 'card' }),
    };
    parts.bar = el('div', { class: 'bar' }, input, ...selects, el('span', { class: 'grow' }), parts.count, parts.back, parts.next);
    main.replaceChildren(parts.bar, parts.list);
  }

  return {
    title,
    query: () => Object.fromEntries(Object.entries({ ...q, back: '', cursor: '', view, limit: 100, [cursor || 'cursor']: q.cursor }).filter(([, v]) => v)),
    enter(page) {
      Object.assign(q, Object.fromEntries(Object.entries(usual).map(([k, v]) => [k, page.params.get(k) || v])), { back: [] });
      parts = null;
    },
    draw(page, main) {
      if (!parts || !main.contains(parts.bar)) build(page, main);
      const n = page.last, v = n && n.view;
      if (n && n.error) replace(parts.list, el('p', { class: 'notice bad' }, n.error));
      if (!v || !all(v)) return;
      parts.count.textContent = note(v);
      parts.back.disabled = !q.back.length && !q.cursor;
      parts.next.disabled = !v.next;
      parts.next.onclick = () => { q.back.push(q.cursor); q.cursor = v.next; keep(page); };
      replace(parts.list, table(columns, all(v).map(rows), { sort: q.sort, onsort: (s) => change(page, { sort: s }) }),
        all(v).length ? null : el('p', { class: 'dim' }, 'There is none.'));
    },
  };
}

export const jobs = list({
  title: 'Jobs', view: 'jobs', sort: 'age',
  filters: [
    ['type', 'Type', [['', 'Any type'], ['job', 'Single jobs'], ['strand', 'Strands'], ['task', 'Tasks'], ['other', 'Others']]],
    ['state', 'State', [['', 'Any state'], ...['running', 'waiting', 'preempted', 'timed out'].map((s) => [s, s])]],
  ],
  all: (v) => v.jobs,
  note: (v) => count(v.matched) + ' of ' + count(v.total) + ' under way' + (v.queued ? ', ' + count(v.queued) + ' queued' : ''),
  columns: [
    { title: 'Job', n: true, sort: 'id' }, { title: 'Type' }, { title: 'Name' }, { title: 'State' }, { title: 'Since', n: true, sort: 'age' }, { title: 'Worker', n: true, hide: true },
    { title: 'Stolen', n: true, sort: 'steals', hide: true }, { title: 'Preempted', n: true, sort: 'preemptions', hide: true }, { title: 'Kind', hide: true },
  ],
  rows: (j) => ({
    key: 'j' + j.id, to: 'job/' + j.id,
    cells: [String(j.id), typeNames[j.type] || j.type, el('span', { class: 'name', title: j.place || '' }, j.name || '–'), el('span', { class: 'tag ' + (tones[j.state] ?? '') }, j.state),
      time(j.age_seconds), String(j.worker), count(j.steals), count(j.preemptions), el('span', { class: 'name dim mono' }, j.kind || '')],
  }),
});

export const timers = list({
  title: 'Timers', view: 'timers', filters: [],
  all: (v) => v.timers, note: (v) => count(v.matched) + (v.matched === 1 ? ' timer' : ' timers, the next due first'),
  columns: [
    { title: 'Due in', n: true }, { title: 'At', hide: true }, { title: 'Every', n: true }, { title: 'Owner' }, { title: 'To' }, { title: 'Lane', hide: true },
    { title: 'Message', hide: true }, { title: 'Missed', n: true, hide: true },
  ],
  rows: (t) => ({
    key: 't' + (t.owner || '') + '#' + t.number,
    cells: [due(t.in_seconds), clock(t.due), time(t.every_seconds), link(t.owner, t.owner_name) || 'the system', link(t.to, t.to_name), t.lane,
      el('span', { class: 'name dim mono' }, t.message), count(t.missed || 0)],
  }),
});

export const names = list({
  title: 'Names', view: 'names', filters: [], cursor: 'after',
  all: (v) => v.names, note: (v) => count(v.matched) + ' names',
  columns: [{ title: 'Name' }, { title: 'Actor' }],
  rows: (n) => ({ key: 'n' + n.name, cells: [el('span', { class: 'name', title: n.name }, n.name), link(n.pid)] }),
});
