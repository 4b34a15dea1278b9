// All actors: filtered, sorted and divided into pages by the server, as there
// may be a hundred thousand.
import { count, el, fullness, handler, lanes, replace, search, state, table, time, title } from './dom.js';

const usual = { sort: 'mailbox', search: '', state: '', cursor: '' };
const q = { ...usual, kind: '', back: [] };
let before = new Map(), at = 0, parts = null;

// rate returns what an actor handles in a second, by the snapshot before.
function rates(page, all) {
  const now = performance.now(), seconds = (now - at) / 1000, next = new Map();
  const rate = new Map();
  for (const a of all) {
    const b = before.get(a.pid);
    if (b !== undefined && seconds > 0.05) rate.set(a.pid, Math.max(0, (a.handled - b) / seconds));
    next.set(a.pid, a.handled);
  }
  before = next;
  at = now;
  return rate;
}

let rate = new Map(), seen = null;

// keep writes into the address what is not as usual.
function keep(page) {
  page.set(Object.fromEntries(Object.entries(usual).map(([k, v]) => [k, q[k] === v ? '' : q[k]])));
}

const read = (page) => Object.fromEntries(Object.entries(usual).map(([k, v]) => [k, page.params.get(k) || v]));

function change(page, what) {
  Object.assign(q, { cursor: '', back: [] }, what);
  keep(page);
  page.reopen();
}

export const actors = {
  title: 'Actors',
  query: (page) => Object.fromEntries(Object.entries({ view: 'actors', sort: q.sort, search: page.params.get('search'), state: q.state, kind: q.kind, cursor: q.cursor, limit: 100 }).filter(([, v]) => v)),
  enter(page) {
    Object.assign(q, read(page), { kind: page.arg, back: [] });
    parts = null;
  },
  draw(page, main) {
    if (!parts || !main.contains(parts.bar)) build(page, main);
    const n = page.last;
    if (!n) return;
    if (n.error) {
      replace(parts.list, el('p', { class: 'notice bad' }, n.error));
      return;
    }
    const v = n.view;
    if (!v) return;
    if (seen !== n) { rate = rates(page, v.actors); seen = n; }
    parts.count.textContent = (v.matched >= 0 ? count(v.matched) + ' of ' : '') + count(v.total) + ' actors';
    parts.back.disabled = !q.back.length && !q.cursor;
    parts.next.disabled = !v.next;
    parts.next.onclick = () => { q.back.push(q.cursor); q.cursor = v.next; keep(page); page.reopen(); };
    const sorted = { sort: q.sort, onsort: (s) => change(page, { sort: s }) };
    replace(parts.list, table([
      { title: 'Actor' }, { title: 'PID', sort: 'pid', hide: true }, { title: 'State' }, { title: 'Mailbox', n: true, sort: 'mailbox' }, { title: 'Control / management / data', hide: true },
      { title: 'Per second', n: true }, { title: 'Handled', n: true, sort: 'handled', hide: true }, { title: 'Slow', sort: 'slow' },
      { title: 'Restarts', n: true, sort: 'restarts', hide: true }, { title: 'Up', n: true, sort: 'uptime', hide: true }, { title: 'Kind', hide: true },
    ], v.actors.map((a) => ({
      pid: a.pid,
      cells: [el('span', { class: 'name', title: title(a) }, title(a)), '<' + a.pid + '>', state(a), count(a.mailbox), [...lanes(a), fullness(a)],
        rate.has(a.pid) ? count(rate.get(a.pid)) : '–', count(a.handled), handler(a.handler), count(a.restarts), time(a.uptime_seconds),
        el('span', { class: 'name dim mono', title: a.kind }, a.kind)],
    })), sorted), v.actors.length ? null : el('p', { class: 'dim' }, 'No actor is like that.'));
  },
};

function build(page, main) {
  const filter = search(page, () => change(page, { search: page.params.get('search') || '' }));
  const select = (label, value, options, set) => el('select', { 'aria-label': label, onchange: (e) => { set(e.target.value); page.chosen(e.target); } },
    ...options.map(([v, text]) => el('option', { value: v, selected: v === value }, text)));
  const states = select('State', q.state, [['', 'Any state'], ...['waiting', 'ready', 'running', 'held', 'stopping', 'suspended', 'exited'].map((s) => [s, s])], (v) => change(page, { state: v }));
  const sort = select('Order', q.sort, [['mailbox', 'Longest mailbox'], ['slow', 'Slowest'], ['handled', 'Most handled'], ['restarts', 'Most restarts'], ['uptime', 'Oldest'], ['pid', 'By PID']], (v) => change(page, { sort: v }));
  const kind = q.kind ? el('button', { title: 'All kinds', onclick: () => page.go('actors') }, q.kind + ' ✕') : null;
  parts = {
    count: el('span', { class: 'dim', 'aria-live': 'off' }),
    back: el('button', { onclick: () => { q.cursor = q.back.pop() ?? ''; keep(page); page.reopen(); } }, '‹ Back'),
    next: el('button', {}, 'Next ›'),
    list: el('div', { class: 'card' }),
  };
  parts.bar = el('div', { class: 'bar' }, filter, states, sort, kind, el('span', { class: 'grow' }), parts.count, parts.back, parts.next);
  main.replaceChildren(parts.bar, parts.list);
}
