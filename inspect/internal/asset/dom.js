// Elements and texts. Whatever comes from the program that is looked at gets
// into the page by textContent alone, so a name can never be more than a name.

export const $ = (id) => document.getElementById(id);

// plain shows what would not be seen, but would do something to the text around
// it: controls, and what turns the direction of writing.
export const plain = (text) => String(text).replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, '\ufffd');


// el makes an element: properties are set, children are nodes or texts.
export function el(tag, props = {}, ...children) {
  const e = document.createElement(tag);
  for (const [k, v] of Object.entries(props)) {
    if (v === undefined || v === null || v === false) continue;
    if (k === 'class') e.className = v;
    else if (k.startsWith('on')) e.addEventListener(k.slice(2), v);
    else if (k === 'style') Object.assign(e.style, v);
    else e.setAttribute(k, v === true ? '' : k === 'title' || k === 'aria-label' ? plain(v) : v);
  }
  e.append(...children.filter((c) => c !== undefined && c !== null && c !== false && c !== '').map((c) => (typeof c === 'string' ? plain(c) : c)));
  return e;
}

export function svg(tag, props = {}, ...children) {
  const e = document.createElementNS('http://www.w3.org/2000/svg', tag);
  for (const [k, v] of Object.entries(props)) e.setAttribute(k, v);
  e.append(...children);
  return e;
}

// card is a titled part of a view.
export const card = (title, ...children) => el('section', { class: 'card' }, el('h2', {}, title), ...children);

// table has columns of {title, n, hide, sort} and rows of {cells, key, class}, and
// of pid or to where a row leads to an actor or elsewhere.
export function table(columns, rows, { sort, onsort } = {}) {
  const head = columns.map((c) => el('th', { scope: 'col', class: cls(c), 'aria-sort': c.sort && c.sort === sort ? 'descending' : null },
    c.sort ? el('button', { 'data-key': 'sort ' + c.sort, onclick: () => onsort(c.sort), title: 'Sort by ' + c.title }, c.title + (c.sort === sort ? ' ↓' : '')) : c.title));
  return el('div', { class: 'scroll' }, el('table', {}, el('thead', {}, el('tr', {}, ...head)), el('tbody', {}, ...rows.map((r) => line(columns, r)))));
}

// line is a row of a table.
export function line(columns, r) {
  const to = r.to ?? (r.pid ? 'actor/' + r.pid : null);
  return el('tr', {
    tabindex: to ? 0 : null, 'data-pid': r.pid, 'data-to': to, 'data-key': r.key ?? r.pid, class: r.class,
    onclick: to && ((e) => { if (!e.target.closest('button, a')) location.hash = to; }),
  }, ...r.cells.map((c, i) => el('td', { class: cls(columns[i]) }, ...(Array.isArray(c) ? c : [c]))));
}

const cls = (c) => [c.n && 'n', c.hide && 'hide', c.wrap && 'wrap'].filter(Boolean).join(' ');

// search is the box for a part of what is looked for. It is in the address, and then found is called.
export function search(page, found) {
  let later = 0;
  return el('input', {
    id: 'filter', type: 'search', placeholder: 'Search', 'aria-label': 'Search', value: page.params.get('search') || '',
    oninput: (e) => {
      clearTimeout(later);
      later = setTimeout(() => { page.set({ search: e.target.value, cursor: '' }); found(); }, 200);
    },
  });
}

// matches says whether one of some texts has the part that is looked for.
export function matches(page, ...texts) {
  const part = (page.params.get('search') || '').toLowerCase();
  return !part || texts.some((t) => t && String(t).toLowerCase().includes(part));
}

// found returns the elements below a place by names that they have again when all is
// drawn anew: the key that they are in, and their number there.
function found(place, selector) {
  const all = new Map(), numbers = new Map();
  for (const e of place.querySelectorAll(selector)) {
    const row = e.closest('tr[data-key]')?.dataset.key ?? '', key = row + ' ' + (e.closest('[data-key]')?.dataset.key ?? ''), n = numbers.get(key) ?? 0;
    numbers.set(key, n + 1);
    all.set(key + ' ' + n, e);
  }
  return all;
}

const focusable = 'a, button, summary, [tabindex]';

// replace puts new children into a place, and leaves focus, scrolling, and what is
// unfolded as they were.
export function replace(place, ...children) {
  const at = document.activeElement;
  const focused = place.contains(at) ? [...found(place, focusable)].find(([, e]) => e === at) : null;
  const unfolded = new Map([...found(place, 'details')].map(([name, e]) => [name, e.open]));
  const scrolled = [...place.querySelectorAll('.scroll, pre')].map((e) => [e.scrollLeft, e.scrollTop]);
  place.replaceChildren(...children.filter(Boolean));
  [...place.querySelectorAll('.scroll, pre')].forEach((e, i) => { if (scrolled[i]) [e.scrollLeft, e.scrollTop] = scrolled[i]; });
  for (const [name, e] of found(place, 'details')) e.open = unfolded.get(name) ?? e.open;
  if (focused) found(place, focusable).get(focused[0])?.focus({ preventScroll: true });
}

const units = [[1e9, 'G'], [1e6, 'M'], [1e3, 'k']];

// count writes a number in four characters or so.
export function count(n) {
  for (const [u, s] of units) if (Math.abs(n) >= u) return (n / u).toFixed(n / u < 10 ? 2 : n / u < 100 ? 1 : 0) + s;
  return n % 1 ? n.toFixed(n < 10 ? 1 : 0) : String(n);
}

// time writes a duration that is in seconds.
export function time(s) {
  if (!s) return '–';
  if (s < 1e-3) return (s * 1e6).toFixed(0) + ' µs';
  if (s < 1) return (s * 1e3).toFixed(s < 0.01 ? 1 : 0) + ' ms';
  if (s < 120) return s.toFixed(s < 10 ? 1 : 0) + ' s';
  if (s < 7200) return (s / 60).toFixed(0) + ' min';
  return (s / 3600).toFixed(0) + ' h';
}

export const clock = (t) => new Date(t).toLocaleTimeString([], { hour12: false });
export const title = (a) => a.name || (a.names && a.names[0]) || '<' + a.pid + '>';
export const link = (pid, name) => pid ? el('a', { href: '#actor/' + pid, 'data-key': 'to ' + pid }, (name ? name + ' ' : '') + '<' + pid + '>') : '';

const tones = { waiting: 'idle', ready: '', running: '', held: 'warn', stopping: 'warn', suspended: 'warn', exited: 'bad' };
export const state = (a) => el('span', { class: 'tag ' + (tones[a.state] ?? '') }, a.state);

// handler says what an actor is at, if that takes long.
export const handler = (h) => h ? el('span', { class: 'tag ' + (h.slow ? 'bad' : 'warn') }, time(h.seconds) + ' in ' + (h.message ? h.message + ' (' + h.handler + ')' : h.handler)) : '';

// lanes shows how full the lanes of a mailbox are: as "c/m/d".
export function lanes(a) {
  const cells = (a.lanes || []).map((l) => el('span', {
    title: l.name + ': ' + l.length + (l.capacity ? ' of ' + l.capacity : '') + (l.dropped ? ', ' + l.dropped + ' dropped' : '') + (l.senders ? ', ' + l.senders + ' senders wait' : ''),
    class: l.senders || l.length > (l.capacity || unboundedFullAt) * 0.8 ? 'tag bad' : l.length ? '' : 'dim',
  }, count(l.length)));
  return cells.flatMap((c, i) => i ? [el('span', { class: 'dim' }, ' / '), c] : [c]);
}

// A lane without a limit counts as full with so many messages, as the event mailbox_high has it.
const unboundedFullAt = 10000;

// fullness is a meter of the fullest lane.
export function fullness(a) {
  const part = Math.min(1, Math.max(0, ...(a.lanes || []).map((l) => l.length / (l.capacity || unboundedFullAt))));
  const i = el('i', { class: part > 0.8 ? 'full' : '' });
  i.style.width = (part * 100).toFixed(0) + '%';
  return el('span', { class: 'meter', role: 'img', 'aria-label': (part * 100).toFixed(0) + '% full' }, i);
}

const foreign = /^(runtime|internal|iter|sync|time|reflect|syscall|os|net|io|errors|fmt|panic)[./(]|^github\.com\/troupe-go\/troupe\/(actor|internal|sched|strand|task|supervise|router)[./]/;

// frames divides a stack: into its title, and into the lines before the first frame of the program and from there on.
export function frames(text) {
  const all = plain(text || '').split('\n');
  const head = /^(goroutine |panic)/.test(all[0]) ? all.shift() : '';
  let from = 0;
  while (from + 1 < all.length && foreign.test(all[from])) from += 2;
  if (from + 1 >= all.length || all[from].startsWith('created by ')) from = 0; // There is none of the program.
  return { head, before: all.slice(0, from), own: all.slice(from) };
}

// stack shows where a goroutine is or was: the frames of the program from the innermost one on, and those of the
// runtime and of this module before them folded.
export function stack(text, key) {
  const { head, before, own } = frames(text);
  return el('div', { 'data-key': key },
    before.length ? el('details', {}, el('summary', { class: 'dim' }, before.length / 2 + ' frames of the runtime'), el('pre', { tabindex: 0 }, before.join('\n'))) : null,
    el('pre', { tabindex: 0, 'data-key': key }, (head ? head + '\n' : '') + own.join('\n')));
}
