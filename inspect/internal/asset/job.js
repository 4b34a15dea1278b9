// One job, and where it runs or waits. That is not asked for again by itself, since
// the whole program is stopped while its stacks are written down.
import { card, clock, count, el, replace, time } from './dom.js';

let parts = null, answer = null, drawn = null, looks = 0;

export const job = {
  under: 'jobs',
  query: () => ({ view: 'overview' }),
  enter(page) {
    parts = answer = drawn = null;
    look(page);
  },
  draw(page, main) {
    if (!parts || !main.contains(parts)) {
      parts = el('div');
      main.replaceChildren(parts);
      drawn = null;
    }
    if (!answer || drawn === answer) return;
    drawn = answer;
    replace(parts, ...(answer.error ? [el('p', { class: 'notice bad' }, answer.error), el('p', {}, el('a', { href: '#jobs' }, 'All jobs'))] : content(page, answer)));
  },
};

async function look(page) {
  const id = page.arg, mine = ++looks;
  let got;
  try {
    got = await (await fetch('api/jobs/' + encodeURIComponent(id))).json();
  } catch {
    got = { error: 'The program does not answer.' };
  }
  if (page.view !== job || page.arg !== id || mine !== looks) return;
  answer = got;
  page.draw();
}

function content(page, j) {
  const facts = [
    ['Job', String(j.id)], ['Type', j.type], ['Name', j.name], ['Kind', j.kind], ['Begun at', j.place], ['Priority', j.priority], ['Worker', String(j.worker)],
    ['Since', clock(j.started) + ', ' + time(j.age_seconds)], ['May run for', j.timeout_seconds ? time(j.timeout_seconds) : ''],
    ['Stolen', count(j.steals)], ['Preempted', count(j.preemptions)],
  ].filter(([, v]) => v);
  return [
    el('div', { class: 'bar' }, el('h1', {}, j.name || j.type + ' ' + j.id), el('span', { class: 'tag' }, j.state), el('span', { class: 'grow' }),
      el('button', { 'data-key': 'again', title: 'The program is stopped for a moment', onclick: () => look(page) }, 'Look again')),
    card('Facts', el('dl', { class: 'facts' }, ...facts.flatMap(([k, v]) => [el('dt', {}, k), el('dd', {}, v)]))),
    card('Stack', j.stack ? el('pre', { tabindex: 0, 'data-key': 'stack' }, j.stack) : el('p', { class: 'dim' }, 'It is on no goroutine now.')),
  ];
}
