// What is wrong now: the causes, the worst first, each a link to where more is seen.
import { count, el, time } from './dom.js';

export function wrong(page) {
  const all = (page.last && page.last.findings) || [];
  if (!all.length) return el('p', { class: 'calm' }, 'Nothing is wrong.');
  return el('div', {},
    el('h2', {}, 'What is wrong now', el('button', { class: 'copy', 'data-key': 'copy findings', onclick: () => navigator.clipboard.writeText(all.map((f) => f.level + ' ' + f.text).join('\n')) }, 'Copy')),
    el('ul', { class: 'findings' }, ...all.slice(0, 10).map((f) => el('li', { class: f.level === 'ERROR' ? 'bad' : 'warn' },
      el('a', { href: '#' + f.view, 'data-key': f.id }, f.text), el('span', { class: 'dim' }, 'for ' + time(f.seconds))))),
    all.length > 10 ? el('p', { class: 'dim' }, 'and ' + count(all.length - 10) + ' more: api/findings') : null);
}
