// What has happened, and what was not handled.
import { clock, count, el, link, matches, replace, search, table, time } from './dom.js';

const tone = { ERROR: 'bad', WARN: 'warn' };
let list = null, drawn = null;

export const events = {
  title: 'Events',
  query: () => ({ view: 'events' }),
  enter() { list = null; drawn = null; },
  draw(page, main) {
    if (!list || !main.contains(list)) build(page, main);
    const groups = page.last?.view?.groups || [];
    const key = page.params.toString() + (page.events[0] ? page.events[0].number : '') + page.dropped + ' ' + (groups[0] ? groups[0].last : '');
    if (key === drawn) return;
    drawn = key;
    const kind = page.params.get('kind') || '';
    const wanted = (e) => (!kind || e.kind === kind) && matches(page, e.text, e.name, e.kind.replaceAll('_', ' '), e.actor_kind, e.error);
    const shown = page.params.get('all') ? each(page.events.filter(wanted)) : byCause(page, groups.filter((g) => wanted(g.event)));
    replace(list,
      page.dropped ? el('p', { class: 'notice' }, count(page.dropped) + ' events came faster than they could be shown, and were dropped.') : null,
      shown || el('p', { class: 'dim' }, 'Nothing has happened that somebody should know.'));
  },
};

const tagOf = (e) => el('span', { class: 'tag ' + (tone[e.level] || '') }, e.kind.replaceAll('_', ' '));

// each has a row for each of the last events.
function each(all) {
  if (!all.length) return null;
  return table([{ title: 'Time' }, { title: 'Kind' }, { title: 'What', wrap: true }, { title: 'Actor', hide: true }, { title: 'Took', n: true, hide: true }], all.slice(0, 200).map((e) => ({
    key: String(e.number), cells: [clock(e.time), tagOf(e), what(e), link(e.pid), e.seconds ? time(e.seconds) : ''],
  })));
}

// byCause has a row for all events of one actor with one cause: the last one of them stands for all.
function byCause(page, groups) {
  if (!groups.length) return null;
  return table([{ title: 'Last' }, { title: 'Times', n: true }, { title: 'Kind' }, { title: 'What, the last time', wrap: true }, { title: 'Actor', hide: true }, { title: 'First', hide: true }], groups.slice(0, 200).map((g) => {
    const whole = page.events.find((e) => e.number === g.event.number) || g.event;
    return { key: g.event.kind + g.event.pid + g.first, cells: [clock(g.last), count(g.count), tagOf(g.event), what({ ...whole, count: 0 }), link(g.event.pid), clock(g.first)] };
  }));
}

function build(page, main) {
  const kinds = ['', 'failed', 'restarted', 'slow_handler', 'blocked_handler', 'timed_out', 'dead_letters', 'mailbox_high', 'mailbox_normal', 'starvation', 'spare_limit', 'ask_cycle', 'acted', 'recorded'];
  const select = (name, label, options) => el('select', { 'aria-label': label, onchange: (e) => { page.set({ [name]: e.target.value }); page.chosen(e.target); page.draw(); } },
    ...options.map(([v, text]) => el('option', { value: v, selected: v === (page.params.get(name) || '') }, text)));
  list = el('div', { class: 'card' });
  main.replaceChildren(el('div', { class: 'bar' }, search(page, page.draw),
    select('kind', 'Kind of events', kinds.map((k) => [k, k ? k.replaceAll('_', ' ') : 'All kinds'])), select('all', 'Grouping', [['', 'By actor and cause'], ['1', 'Each event']])), list);
}

function what(e) {
  const stack = e.stack || (e.holders || []).map((h) => h.work + '\n' + (h.stack || '')).join('\n');
  return [e.text + (e.count > 1 ? ' (' + count(e.count) + ' in all)' : ''), stack ? el('details', {}, el('summary', {}, 'Stack'), el('pre', { tabindex: 0 }, stack)) : ''];
}

let letterList = null;

export const letters = {
  title: 'Dead letters',
  query: () => ({ view: 'letters' }),
  enter() { letterList = null; },
  draw(page, main) {
    if (!letterList || !main.contains(letterList)) {
      letterList = el('div', { class: 'card' });
      main.replaceChildren(el('div', { class: 'bar' }, search(page, page.draw)), letterList);
    }
    const v = page.last && page.last.view;
    if (!Array.isArray(v) && v !== null) return;
    const all = [...(v || [])].reverse().filter((l) => matches(page, l.name, l.to, l.message, l.content, l.error, l.kind));
    replace(letterList, all.length ? table([{ title: 'Time' }, { title: 'To' }, { title: 'Message' }, { title: 'Lane', hide: true }, { title: 'Why', wrap: true }], all.map((l, i) => ({
      key: l.time + (all.length - i), cells: [clock(l.time), link(l.to, l.name), [el('code', {}, l.message), l.content ? el('div', { class: 'dim' }, l.content) : ''], l.lane, l.error],
    }))) : el('p', { class: 'dim' }, v && v.length ? 'No dead letter is like that.' : 'All messages were handled.'));
  },
};
