// What is wrong now: the causes, the worst first, each a link to where more is seen. And what was wrong.
import { clock, count, el, time } from './dom.js';

const place = 'troupe-acknowledged';

// acknowledged has the findings that the user knows of, by ID and beginning: one that begins again is news.
function acknowledged() {
  try {
    return new Set(JSON.parse(localStorage.getItem(place)) || []);
  } catch {
    return new Set();
  }
}

const key = (f) => f.id + ' ' + f.kind;

function acknowledge(page, f, known) {
  const all = acknowledged();
  if (known) all.add(key(f)); else all.delete(key(f));
  localStorage.setItem(place, JSON.stringify([...all].slice(-200)));
  page.draw();
}

export function wrong(page) {
  const all = (page.last && page.last.findings) || [], over = (page.last && page.last.view && page.last.view.over) || [];
  const known = acknowledged();
  // What is over is news when it comes again.
  const left = [...known].filter((k) => all.some((f) => key(f) === k));
  if (page.last && left.length < known.size) localStorage.setItem(place, JSON.stringify(left));
  const fresh = all.filter((f) => !known.has(key(f))), rest = all.filter((f) => known.has(key(f)));
  const row = (f, to) => el('li', { class: f.level === 'ERROR' ? 'bad' : 'warn' },
    el('a', { href: '#' + f.view, 'data-key': f.id }, f.text), el('span', { class: 'dim' }, 'for ' + time(f.seconds), ' ',
      el('button', { 'data-key': 'known ' + f.id, onclick: () => acknowledge(page, f, to), title: to ? 'I know; do not show it on top until it comes again' : 'Show it on top again' }, to ? 'Acknowledge' : 'Show')));
  return el('div', {},
    all.length ? el('h2', {}, 'What is wrong now', el('button', { class: 'copy', 'data-key': 'copy findings', onclick: () => navigator.clipboard.writeText(all.map((f) => f.level + ' ' + f.text).join('\n')) }, 'Copy')) : el('p', { class: 'calm' }, 'Nothing is wrong.'),
    fresh.length ? el('ul', { class: 'findings' }, ...fresh.slice(0, 10).map((f) => row(f, true))) : null,
    fresh.length > 10 ? el('p', { class: 'dim' }, 'and ' + count(fresh.length - 10) + ' more: api/findings') : null,
    rest.length ? el('details', { 'data-key': 'acknowledged' }, el('summary', { class: 'dim' }, count(rest.length) + ' acknowledged'), el('ul', { class: 'findings' }, ...rest.slice(0, 50).map((f) => row(f, false)))) : null,
    over.length ? el('details', { 'data-key': 'over' }, el('summary', { class: 'dim' }, 'What was wrong'), el('ul', { class: 'findings over' },
      ...over.map((f) => el('li', {}, el('a', { href: '#' + f.view, 'data-key': 'over ' + f.id + f.first }, f.text), el('span', { class: 'dim' }, clock(f.first) + ' to ' + clock(f.last)))))) : null);
}
