// What has happened, and what was not handled.
import { clock, count, el, link, replace, table, time } from './dom.js';

const tone = { ERROR: 'bad', WARN: 'warn' };
let list = null, kind = '', drawn = null;

export const events = {
  title: 'Events',
  query: () => ({ view: 'events' }),
  enter() { list = null; drawn = null; },
  draw(page, main) {
    if (!list || !main.contains(list)) build(page, main);
    const key = kind + (page.events[0] ? page.events[0].number : '') + page.dropped;
    if (key === drawn) return;
    drawn = key;
    const all = page.events.filter((e) => !kind || e.kind === kind).slice(0, 200);
    replace(list,
      page.dropped ? el('p', { class: 'notice' }, count(page.dropped) + ' events came faster than they could be shown, and were dropped.') : null,
      all.length ? table([{ title: 'Time' }, { title: 'Kind' }, { title: 'What', wrap: true }, { title: 'Actor', hide: true }, { title: 'Took', n: true, hide: true }], all.map((e) => ({
        key: String(e.number),
        cells: [clock(e.time), el('span', { class: 'tag ' + (tone[e.level] || '') }, e.kind.replaceAll('_', ' ')), what(e), link(e.pid), e.seconds ? time(e.seconds) : ''],
      }))) : el('p', { class: 'dim' }, 'Nothing has happened that somebody should know.'));
  },
};

function build(page, main) {
  const kinds = ['', 'failed', 'restarted', 'slow_handler', 'blocked_handler', 'timed_out', 'dead_letters', 'mailbox_high', 'mailbox_normal', 'starvation', 'spare_limit', 'ask_cycle', 'acted', 'recorded'];
  list = el('div', { class: 'card' });
  main.replaceChildren(el('div', { class: 'bar' }, el('select', { 'aria-label': 'Kind of events', onchange: (e) => { kind = e.target.value; page.chosen(e.target); page.draw(); } },
    ...kinds.map((k) => el('option', { value: k, selected: k === kind }, k ? k.replaceAll('_', ' ') : 'All kinds')))), list);
}

function what(e) {
  const stack = e.stack || (e.holders || []).map((h) => h.work + '\n' + (h.stack || '')).join('\n');
  return [e.text + (e.count > 1 ? ' (' + count(e.count) + ' in all)' : ''), stack ? el('details', {}, el('summary', {}, 'Stack'), el('pre', { tabindex: 0 }, stack)) : ''];
}

export const letters = {
  title: 'Dead letters',
  query: () => ({ view: 'letters' }),
  draw(page, main) {
    const v = page.last && page.last.view;
    if (!Array.isArray(v) && v !== null) {
      if (!page.last) main.replaceChildren();
      return;
    }
    const all = [...(v || [])].reverse();
    replace(main, el('div', { class: 'card' }, all.length ? table([{ title: 'Time' }, { title: 'To' }, { title: 'Message' }, { title: 'Lane', hide: true }, { title: 'Why', wrap: true }], all.map((l, i) => ({
      key: l.time + (all.length - i), cells: [clock(l.time), link(l.to, l.name), [el('code', {}, l.message), l.content ? el('div', { class: 'dim' }, l.content) : ''], l.lane, l.error],
    }))) : el('p', { class: 'dim' }, 'All messages were handled.')));
  },
};
