// Who waits for whom. Rings are red: nobody in them goes on by himself.
import { card, el, link, matches, plain, replace, search, svg, table, time } from './dom.js';

const drawn = 60; // Actors in the picture; all others are in the table.
let place = null, shown = '';

export const waits = {
  title: 'Waits',
  query: () => ({ view: 'waits' }),
  enter() { place = null; shown = ''; },
  draw(page, main) {
    if (!place || !main.contains(place)) {
      place = el('div');
      main.replaceChildren(el('div', { class: 'bar' }, search(page, page.draw)), place);
    }
    const g = page.last && page.last.view;
    if (!g) return;
    const found = page.events.filter((e) => e.kind === 'ask_cycle').slice(0, 20);
    const key = JSON.stringify([g, found.map((e) => e.number), page.params.get('search')]);
    if (key === shown) return;
    shown = key;
    const all = chains(page, g.waits);
    replace(place,
      g.in_cycle ? el('p', { class: 'notice bad', role: 'alert' }, g.in_cycle + ' handlers wait for each other in a ring: none of them goes on unless one gives up.') : null,
      card('Who waits for whom (' + g.total + ')', all.length ? graph(all, g.ends) : el('p', { class: 'dim' }, g.total ? 'No wait is like that.' : 'No handler waits for another actor just now.')),
      found.length ? card('Rings that were found, and refused', ...found.map((e) => el('p', { class: 'ring-text' }, e.text))) : null,
      all.length ? card('Waits', table([{ title: 'Who' }, { title: 'How' }, { title: 'On' }, { title: 'For', n: true }, { title: 'Lane', hide: true }, { title: '' }], all.slice(0, 500).map((w) => ({
        key: w.from + '-' + w.to, cells: [link(w.from, w.from_name), w.kind, link(w.to, w.to_name), w.seconds ? time(w.seconds) : '', w.lane || '', w.in_cycle ? el('span', { class: 'tag bad' }, 'in a ring') : ''],
      })))) : null);
  },
};

// chains returns the waits with the name that is looked for, and those that they lead to.
function chains(page, all) {
  if (!page.params.get('search')) return all;
  const found = new Set(all.filter((w) => matches(page, w.from_name, w.to_name, w.from, w.to))), next = new Map(all.map((w) => [w.from, w]));
  for (const w of found) if (next.has(w.to)) found.add(next.get(w.to));
  return all.filter((w) => found.has(w));
}

// graph draws chains from left to right. Each ends on the right in an actor that waits for none, which is the culprit; a
// ring is cut at one place, and the arrow there goes back.
function graph(all, ends) {
  const nodes = new Map();
  const node = (pid, name) => {
    if (!nodes.has(pid) && nodes.size < drawn) nodes.set(pid, { pid, name, from: [], to: null });
    return nodes.get(pid);
  };
  const back = [];
  for (const w of all) {
    const a = node(w.from, w.from_name), b = node(w.to, w.to_name);
    if (!a || !b) continue;
    if (w.in_cycle) a.ring = b.ring = true;
    let end = b;
    while (end && end !== a && end.to) end = end.to.node;
    if (a.to || end === a) { back.push([a, b, w]); continue; } // It would close the ring, or is a second wait of the same actor.
    a.to = { node: b, w };
    b.from.push(a);
  }
  const facts = new Map((ends || []).map((e) => [e.pid, e]));
  let rows = 0, deep = 0;
  const place = (n, depth) => {
    n.depth = depth;
    deep = Math.max(deep, depth);
    for (const f of n.from) place(f, depth + 1);
    n.row = n.from.length ? (n.from[0].row + n.from.at(-1).row) / 2 : rows++;
  };
  for (const n of nodes.values()) if (!n.to) place(n, 0);
  const column = 250, line = 64, width = (deep + 1) * column, height = Math.max(1, rows) * line + 20;
  for (const n of nodes.values()) { n.x = (deep - n.depth) * column + 20; n.y = n.row * line + 34; }
  const marker = (id) => svg('marker', { id, class: id, viewBox: '0 0 8 8', refX: 8, refY: 4, markerWidth: 8, markerHeight: 8, orient: 'auto', markerUnits: 'userSpaceOnUse' }, svg('path', { d: 'M0 0 8 4 0 8z' }));
  const box = 150, cut = (text, n) => plain([...text].slice(0, n).join('') + ([...text].length > n ? '…' : ''));
  const label = (w, x, y) => {
    const t = svg('text', { x, y, class: 'how' });
    t.textContent = w.kind + (w.seconds ? ' ' + time(w.seconds) : '');
    return t;
  };
  const lines = [...nodes.values()].filter((n) => n.to).flatMap((n) => {
    const b = n.to.node, x1 = n.x + box, x2 = b.x, middle = (x1 + x2) / 2;
    return [svg('path', { d: `M${x1} ${n.y}C${middle} ${n.y} ${middle} ${b.y} ${x2} ${b.y}`, class: 'edge' + (n.to.w.in_cycle ? ' ring' : ''), 'marker-end': n.to.w.in_cycle ? 'url(#ring)' : 'url(#arrow)' }), label(n.to.w, middle, (n.y + b.y) / 2 - 6)];
  });
  for (const [a, b, w] of back) {
    const y = Math.min(a.y, b.y) - 16;
    lines.push(svg('path', { d: `M${a.x + box / 2} ${y}C${a.x} ${y - 16} ${b.x + box} ${y - 16} ${b.x + box / 2} ${y}`, class: 'edge' + (w.in_cycle ? ' ring' : ''), 'marker-end': w.in_cycle ? 'url(#ring)' : 'url(#arrow)' }));
  }
  const boxes = [...nodes.values()].map((p) => {
    const end = facts.get(p.pid), text = svg('text', { x: p.x + box / 2, y: p.y + (end && !p.to ? -1 : 4) });
    text.textContent = cut(p.name || '<' + p.pid + '>', 20);
    const parts = [svg('rect', { x: p.x, y: p.y - 16, width: box, height: 32, rx: 6 }), text];
    if (end && !p.to) {
      const more = svg('text', { x: p.x + box / 2, y: p.y + 12, class: 'how' });
      more.textContent = cut(end.state + (end.seconds ? ' for ' + time(end.seconds) : '') + (end.outside ? ', ' + end.outside + ' outside' : ''), 26);
      parts.push(more);
    }
    return svg('a', { href: '#actor/' + p.pid, class: p.ring ? 'ring' : p.to ? '' : 'culprit' }, ...parts);
  });
  const picture = svg('svg', { class: 'graph', viewBox: `0 0 ${width} ${height}`, role: 'img', 'aria-label': 'Chains of waits, which end in the actors that wait for none' }, svg('defs', {}, marker('arrow'), marker('ring')), ...lines, ...boxes);
  picture.style.maxWidth = width + 'px';
  picture.style.minWidth = Math.min(width, 500) + 'px';
  return el('div', { class: 'scroll' }, picture);
}
