// The page: one stream of server-sent events that brings a sample and what the
// view shows. Another view, or another order, is another stream.
import { $, el, plain, replace } from './dom.js';
import { views } from './views.js';

const past = 240; // Samples that are kept.
const mostRows = 8000; // Of figures that are plotted: an hour, if a page is open all the time.

export const page = {
  system: {}, samples: [], events: [], dropped: 0, paused: false, view: null, arg: '', last: null,
  params: new URLSearchParams(), // What the address says behind the view: how it is filtered, sorted and unfolded.
  past: { times: [], figures: {} }, // What is plotted.
  go(hash) { location.hash = hash; },
  // set changes the parameters in the address. One that is as usual, which is '', is left out.
  set(changes) {
    for (const [k, v] of Object.entries(changes)) if (v === '' || v == null) page.params.delete(k); else page.params.set(k, v);
    const text = page.params.toString();
    history.replaceState(null, '', location.hash.split('?')[0] + (text ? '?' + text : '') || '#');
  },
  reopen() { if (page.paused) page.last = null; connect(); },
  draw() { draw(); },
  // chosen gives the keys back after a choice by the mouse. Who chooses by keys goes on.
  chosen(select) { if (!byKeys) select.blur(); },
};

let source = null, silence = 0, held = false, byKeys = false;

async function start() {
  const get = async (path) => {
    const r = await fetch('api/' + path);
    if (!r.ok) throw new Error((await r.json()).error);
    return r.json();
  };
  $('nav').append(...Object.entries(views).filter(([, v]) => v.title).map(([id, v]) => el('a', { href: '#' + id, id: 'nav-' + id }, v.title)));
  theme(localStorage.getItem('troupe-theme'));
  wire();
  try {
    [page.system, page.events] = await Promise.all([get('system'), get('events')]);
  } catch (e) {
    replace($('main'), el('p', { class: 'notice bad' }, 'The program does not answer: ' + e.message));
    status('lost', 'no connection');
    setTimeout(() => location.reload(), 5000);
    return;
  }
  page.events.reverse();
  $('name').textContent = plain(page.system.name);
  document.title = plain(page.system.name) + ' – troupe';
  route();
}

// unescaped returns what was typed where that is not escaped as it should be.
function unescaped(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

// route shows the view that the address names: #view or #view/argument, and ?parameters.
function route() {
  const [address, ...params] = location.hash.slice(1).split('?');
  page.params = new URLSearchParams(params.join('?'));
  const [name, ...rest] = unescaped(address).split('/');
  const known = Object.hasOwn(views, name);
  page.view = known ? views[name] : views.overview;
  page.arg = rest.join('/');
  page.last = null;
  if (page.paused) status('paused', 'paused');
  for (const a of $('nav').children) a.removeAttribute('aria-current');
  const nav = $('nav-' + (page.view.under || (known ? name : 'overview')));
  if (nav) {
    nav.setAttribute('aria-current', 'page');
    const bar = $('nav'); // The current one is in sight, also on a phone.
    if (nav.offsetLeft < bar.scrollLeft || nav.offsetLeft + nav.offsetWidth > bar.scrollLeft + bar.clientWidth) bar.scrollLeft = nav.offsetLeft - bar.clientWidth / 3;
  }
  if (page.view.enter) page.view.enter(page);
  draw();
  connect();
}

// connect opens a stream for what is shown, instead of the one that there was.
function connect() {
  if (source) source.close();
  source = null;
  clearTimeout(silence);
  if (page.paused && page.last || document.hidden) return;
  const q = new URLSearchParams(page.view.query(page));
  if (!page.samples.length) q.set('history', '1');
  q.set('after', page.events[0]?.number ?? 0);
  q.set('since', Math.floor(page.past.times.at(-1) ?? 0));
  const mine = source = new EventSource('api/stream?' + q);
  mine.onmessage = (m) => {
    if (mine !== source) return;
    take(JSON.parse(m.data));
    if (page.paused) { // A view that is opened while the page is paused gets one look.
      source.close();
      source = null;
      clearTimeout(silence);
      status('paused', 'paused at ' + new Date(page.last.sample.time).toLocaleTimeString([], { hour12: false }));
    }
  };
  mine.onerror = () => {
    if (mine !== source) return;
    status('lost', 'connection lost, trying again');
    if (mine.readyState === EventSource.CLOSED) { // The server has refused it.
      clearTimeout(silence);
      silence = setTimeout(connect, 3000);
    }
  };
}

function take(n) {
  if (page.view.merge && n.view) n.view = page.view.merge(page.last?.view, n.view);
  if (n.history) page.samples = n.history.slice(0, -1);
  const s = page.samples, t = Date.parse(n.sample.time);
  n.sample.t = t;
  for (const old of s) old.t ??= Date.parse(old.time);
  if (!s.length || s[s.length - 1].t < t) s.push(n.sample);
  if (s.length > past) s.splice(0, s.length - past);
  remember(n);
  // A stream that the browser opens again begins where it first did.
  const known = (e) => page.events.some((o) => o.number === e.number && o.time === e.time);
  page.events = [...(n.events || []).filter((e) => !known(e)).reverse(), ...page.events].slice(0, 500);
  page.dropped = n.dropped || 0;
  page.last = n;
  status('live', n.next_seconds > 1 ? 'live, every ' + n.next_seconds.toFixed(1) + ' s' : 'live');
  clearTimeout(silence);
  silence = setTimeout(() => status('lost', 'nothing heard for a while'), n.next_seconds * 1000 + 15000);
  draw();
}

// remember adds the figures that have come: those of the past, and the sample.
function remember(n) {
  const p = page.past;
  if (n.past) {
    for (const name of Object.keys(n.past.figures)) p.figures[name] ??= Array(p.times.length).fill(NaN);
    const from = n.past.times.findIndex((t) => !p.times.length || t > p.times.at(-1));
    if (from >= 0) {
      p.times.push(...n.past.times.slice(from));
      for (const [name, values] of Object.entries(p.figures)) values.push(...(n.past.figures[name] || []).slice(from));
    }
  }
  if (n.sample.interval_seconds > 0 && !(p.times.at(-1) >= n.sample.t)) {
    p.times.push(n.sample.t);
    for (const [name, values] of Object.entries(p.figures)) values.push(n.sample[name]);
  }
  const spare = p.times.length - mostRows;
  if (spare > 0) {
    p.times.splice(0, spare);
    for (const values of Object.values(p.figures)) values.splice(0, spare);
  }
}

function draw() {
  const main = $('main');
  // Nothing changes under the user's hands: while he presses or copies.
  const selected = getSelection();
  if (held || (!selected.isCollapsed && main.contains(selected.anchorNode))) return;
  page.view.draw(page, main);
}

function status(state, text) {
  $('status').dataset.state = state;
  if ($('status').textContent !== text) $('status').textContent = text;
}

function pause() {
  page.paused = !page.paused;
  $('pause').setAttribute('aria-pressed', page.paused);
  $('pause').textContent = page.paused ? 'Go on' : 'Pause';
  if (page.paused) status('paused', 'paused');
  else status('live', 'connecting');
  if (!page.paused) connect();
  else if (source) {
    source.close();
    source = null;
    clearTimeout(silence);
    if (!page.last) connect();
  }
}

function theme(to) {
  if (to) document.documentElement.dataset.theme = to;
}

function toggleTheme() {
  const dark = getComputedStyle(document.documentElement).getPropertyValue('--bg').trim() === '#12161b';
  theme(dark ? 'light' : 'dark');
  localStorage.setItem('troupe-theme', dark ? 'light' : 'dark');
  draw();
}

function wire() {
  addEventListener('hashchange', route);
  addEventListener('pointerdown', () => { held = true; byKeys = false; });
  addEventListener('keydown', () => { byKeys = true; }, { capture: true });
  for (const end of ['pointerup', 'pointercancel']) addEventListener(end, () => setTimeout(() => { held = false; }));
  addEventListener('resize', () => page.view && draw());
  document.addEventListener('visibilitychange', connect);
  addEventListener('pagehide', () => { if (source) source.close(); });
  $('pause').addEventListener('click', pause);
  $('theme').addEventListener('click', toggleTheme);
  $('help').addEventListener('click', () => $('keys').showModal());
  document.addEventListener('keydown', key);
}

function key(e) {
  if (e.ctrlKey || e.metaKey || e.altKey || $('keys').open) return;
  const at = e.target;
  if (at.matches('input, select')) {
    if (e.key === 'Escape') at.blur();
    return;
  }
  const row = at.closest && at.closest('tr[tabindex]');
  const tops = Object.keys(views).filter((v) => views[v].title);
  const n = '1234567890'.indexOf(e.key);
  if (n >= 0 && n < tops.length) page.go(tops[n]);
  else if (e.key === ' ' && !at.matches('button, a')) pause();
  else if (e.key === 'd') toggleTheme();
  else if (e.key === '?') $('keys').showModal();
  else if (e.key === '/') {
    if (!$('filter')) page.go('actors');
    setTimeout(() => $('filter') && $('filter').focus());
  } else if (e.key === 'j' || e.key === 'ArrowDown') step(row, 1);
  else if (e.key === 'k' || e.key === 'ArrowUp') step(row, -1);
  else if (e.key === 'Enter' && row && at === row) page.go(row.dataset.to);
  else if ((e.key === 'ArrowLeft' || e.key === 'ArrowRight') && row && page.view.fold) page.view.fold(page, row.dataset.pid, e.key === 'ArrowRight');
  else if (e.key === 'Escape' && page.view.under) history.back();
  else return;
  e.preventDefault();
}

function step(row, by) {
  const all = [...document.querySelectorAll('main tr[tabindex]')];
  const to = all[row ? all.indexOf(row) + by : 0];
  if (to) to.focus();
}

start();
