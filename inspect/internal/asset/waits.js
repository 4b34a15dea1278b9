// Who waits for whom. Rings are red: nobody in them goes on by himself.
import { card, el, link, plain, replace, svg, table } from './dom.js';

const drawn = 60; // Actors in the picture; all others are in the table.
let place = null, shown = '';

export const waits = {
  title: 'Waits',
  query: () => ({ view: 'waits' }),
  enter() { place = null; shown = ''; },
  draw(page, main) {
    if (!place || !main.contains(place)) {
      place = el('div');
      main.replaceChildren(place);
    }
    const g = page.last && page.last.view;
    if (!g) return;
    const found = page.events.filter((e) => e.kind === 'ask_cycle').slice(0, 20);
    const key = JSON.stringify([g, found.map((e) => e.number)]);
    if (key === shown) return;
    shown = key;
    replace(place,
      g.in_cycle ? el('p', { class: 'notice bad', role: 'alert' }, g.in_cycle + ' handlers wait for each other in a ring: none of them goes on unless one gives up.') : null,
      card('Who waits for whom (' + g.total + ')', g.total ? graph(g.waits) : el('p', { class: 'dim' }, 'No handler waits for another actor just now.')),
      found.length ? card('Rings that were found, and refused', ...found.map((e) => el('p', { class: 'ring-text' }, e.text))) : null,
      g.total ? card('Waits', table([{ title: 'Who' }, { title: 'How' }, { title: 'On' }, { title: 'Lane', hide: true }, { title: '' }], g.waits.slice(0, 500).map((w) => ({
        key: w.from + '-' + w.to, cells: [link(w.from, w.from_name), w.kind, link(w.to, w.to_name), w.lane || '', w.in_cycle ? el('span', { class: 'tag bad' }, 'in a ring') : ''],
      })))) : null);
  },
};

// graph draws the actors on a circle, those of rings first, so that a ring is
// seen as one.
function graph(all) {
  const nodes = new Map(), edges = [];
  for (const w of all) {
    for (const [pid, name] of [[w.from, w.from_name], [w.to, w.to_name]]) {
      if (!nodes.has(pid) && nodes.size < drawn) nodes.set(pid, { pid, name });
    }
    if (nodes.has(w.from) && nodes.has(w.to)) edges.push(w);
    if (w.in_cycle && nodes.has(w.from)) nodes.get(w.from).ring = true;
  }
  const n = nodes.size, r = Math.max(110, n * 14), size = 2 * r + 160;
  [...nodes.values()].forEach((node, i) => {
    node.x = size / 2 + r * Math.sin(2 * Math.PI * i / n);
    node.y = size / 2 - r * Math.cos(2 * Math.PI * i / n);
  });
  const marker = (id) => svg('marker', { id, class: id, viewBox: '0 0 8 8', refX: 17, refY: 4, markerWidth: 8, markerHeight: 8, orient: 'auto', markerUnits: 'userSpaceOnUse' }, svg('path', { d: 'M0 0 8 4 0 8z' }));
  const lines = edges.map((w) => {
    const a = nodes.get(w.from), b = nodes.get(w.to);
    return svg('line', { x1: a.x, y1: a.y, x2: b.x, y2: b.y, class: w.in_cycle ? 'ring' : '', 'marker-end': w.in_cycle ? 'url(#ring)' : 'url(#arrow)' });
  });
  const dots = [...nodes.values()].map((p) => {
    const text = svg('text', { x: p.x, y: p.y - 14 });
    text.textContent = plain([...(p.name || '<' + p.pid + '>')].slice(0, 24).join(''));
    return svg('a', { href: '#actor/' + p.pid, class: p.ring ? 'ring' : '' }, svg('circle', { cx: p.x, cy: p.y, r: 8 }), text);
  });
  return svg('svg', { class: 'graph', viewBox: `0 0 ${size} ${size}`, role: 'img', 'aria-label': 'Graph of waits' }, svg('defs', {}, marker('arrow'), marker('ring')), ...lines, ...dots);
}
