// Elements and texts. Whatever comes from the program that is looked at gets
// into the page by textContent alone, so a name can never be more than a name.

export const $ = (id) => document.getElementById(id);

// el makes an element: properties are set, children are nodes or texts.
export function el(tag, props = {}, ...children) {
  const e = document.createElement(tag);
  for (const [k, v] of Object.entries(props)) {
    if (v === undefined || v === null || v === false) continue;
    if (k === 'class') e.className = v;
    else if (k.startsWith('on')) e.addEventListener(k.slice(2), v);
    else if (k === 'style') Object.assign(e.style, v);
    else e.setAttribute(k, v === true ? '' : v);
  }
  e.append(...children.filter((c) => c !== undefined && c !== null && c !== false && c !== ''));
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

// table has columns of {title, n, hide, sort} and rows of {cells, pid, key, class}.
export function table(columns, rows, { sort, onsort, open } = {}) {
  const head = columns.map((c) => el('th', { scope: 'col', class: cls(c), 'aria-sort': c.sort && c.sort === sort ? 'descending' : null },
    c.sort ? el('button', { onclick: () => onsort(c.sort), title: 'Sort by ' + c.title }, c.title + (c.sort === sort ? ' ↓' : '')) : c.title));
  const body = rows.map((r) => el('tr', {
    tabindex: r.pid ? 0 : null, 'data-pid': r.pid, 'data-key': r.key ?? r.pid, class: r.class,
    onclick: r.pid && ((e) => { if (!e.target.closest('button, a')) open(r.pid); }),
  }, ...r.cells.map((c, i) => el('td', { class: cls(columns[i]) }, ...(Array.isArray(c) ? c : [c])))));
  return el('div', { class: 'scroll' }, el('table', {}, el('thead', {}, el('tr', {}, ...head)), el('tbody', {}, ...body)));
}
const cls = (c) => [c.n && 'n', c.hide && 'hide', c.wrap && 'wrap'].filter(Boolean).join(' ');

// replace puts new children into a place, and leaves focus and scrolling as
// they were.
export function replace(place, ...children) {
  const at = document.activeElement;
  const key = place.contains(at) && at.dataset ? at.dataset.key : undefined;
  const scrolled = [...place.querySelectorAll('.scroll, pre')].map((e) => [e.scrollLeft, e.scrollTop]);
  place.replaceChildren(...children.filter(Boolean));
  [...place.querySelectorAll('.scroll, pre')].forEach((e, i) => { if (scrolled[i]) [e.scrollLeft, e.scrollTop] = scrolled[i]; });
  if (key !== undefined) {
    const again = [...place.querySelectorAll('[data-key]')].find((e) => e.dataset.key === key);
    if (again) again.focus({ preventScroll: true });
  }
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
export const link = (pid, name) => pid ? el('a', { href: '#actor/' + pid }, (name ? name + ' ' : '') + '<' + pid + '>') : '';

const tones = { waiting: 'idle', ready: '', running: '', held: 'warn', stopping: 'warn', suspended: 'warn', exited: 'bad' };
export const state = (a) => el('span', { class: 'tag ' + (tones[a.state] ?? '') }, a.state);

// handler says what an actor is at, if that takes long.
export const handler = (h) => h ? el('span', { class: 'tag ' + (h.slow ? 'bad' : 'warn') }, time(h.seconds) + ' in ' + (h.message || 'a hook')) : '';

// lanes shows how full the lanes of a mailbox are: as "c/m/d".
export function lanes(a) {
  const cells = (a.lanes || []).map((l) => el('span', {
    title: l.name + ': ' + l.length + (l.capacity ? ' of ' + l.capacity : '') + (l.dropped ? ', ' + l.dropped + ' dropped' : '') + (l.senders ? ', ' + l.senders + ' senders wait' : ''),
    class: l.senders ? 'tag bad' : l.length ? '' : 'dim',
  }, count(l.length)));
  return cells.flatMap((c, i) => i ? [el('span', { class: 'dim' }, ' / '), c] : [c]);
}

// fullness is a meter of the fullest lane.
export function fullness(a) {
  const part = Math.min(1, Math.max(0, ...(a.lanes || []).map((l) => l.capacity ? l.length / l.capacity : 0)));
  const i = el('i', { class: part > 0.8 ? 'full' : '' });
  i.style.width = (part * 100).toFixed(0) + '%';
  return el('span', { class: 'meter', role: 'img', 'aria-label': (part * 100).toFixed(0) + '% full' }, i);
}
