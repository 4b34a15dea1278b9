// The supervision tree, unfolded as far as somebody looks. The server tells what has changed; and only the rows in sight, and
// some before and behind them, are made.
import { count, el, fullness, handler, lanes, matches, search, state, title } from './dom.js';
import { windowed } from './rows.js';

const open = new Set(), closed = new Set(), after = new Map(); // After which child of an actor its children are shown.
let worst = '';
let rows = [], list = null, lines = null, foot = null, before = new Map(), rate = new Map(), at = 0, seen = null;

const columns = [
  { title: 'Actor' }, { title: 'State' }, { title: 'Mailbox', n: true }, { title: 'Control / management / data', hide: true }, { title: 'Per second', n: true },
  { title: 'Slow' }, { title: 'Restarts', n: true, hide: true }, { title: 'Kind', hide: true },
];

const slowFirst = (page) => page.params.get('sort') === 'slow';

export const tree = {
  title: 'Tree',
  query: () => ({ view: 'tree', delta: 1, ...folds(), worst }),
  // merge makes the rows of what has changed since the message before.
  merge(old, d) {
    if (d.whole || !Array.isArray(old)) return d.rows || [];
    const all = [...old.slice(0, d.head), ...(d.rows || []), ...old.slice(old.length - d.tail)];
    if (!d.changed) return all;
    const changed = new Map(d.changed.map((a) => [a.pid, a]));
    return all.map((a) => changed.get(a.pid) ?? a);
  },
  enter(page) {
    list = null;
    for (const [name, set] of [['open', open], ['closed', closed]]) {
      set.clear();
      for (const pid of (page.params.get(name) || '').split(',')) if (pid) set.add(pid);
    }
    after.clear();
    for (const pair of (page.params.get('from') || '').split(',')) if (pair) after.set(...pair.split(':'));
    worst = page.params.get('worst') || '';
  },
  fold(page, pid, unfold) {
    const r = rows.find((one) => one.pid === pid);
    if (!r || !r.children || r.open === unfold) return;
    (unfold ? open : closed).add(pid);
    (unfold ? closed : open).delete(pid);
    page.set(folds());
    page.reopen();
  },
  part(page, pid, from) {
    if (from) after.set(pid, from); else after.delete(pid);
    page.set(folds());
    page.reopen();
  },
  draw(page, main) {
    if (!list || !main.contains(list)) {
      lines = windowed(columns);
      foot = el('p', { class: 'bar' });
      list = el('div', { class: 'card' }, lines.element, foot);
      main.replaceChildren(el('div', { class: 'bar' }, search(page, page.draw), el('span', { class: 'dim' }, 'Unfold with → and fold with ←. What is slow or full is marked.'),
        el('span', { class: 'grow' }), el('button', {
          'aria-pressed': String(Boolean(worst)), title: 'Unfold what leads to the worst finding',
          onclick: (e) => { worst = worst ? '' : '1'; page.set({ worst }); e.target.setAttribute('aria-pressed', String(Boolean(worst))); page.reopen(); },
        }, 'Open the worst'), el('button', {
          'aria-pressed': String(slowFirst(page)),
          onclick: (e) => { page.set({ sort: slowFirst(page) ? '' : 'slow' }); e.target.setAttribute('aria-pressed', slowFirst(page)); page.draw(); },
        }, 'Slow first')), list);
    }
    const n = page.last;
    if (!n || !Array.isArray(n.view)) return;
    rows = n.view.filter((a) => a.pid);
    const top = n.view.find((a) => !a.pid);
    if (seen !== n) measure();
    seen = n;
    const shown = found(page, slowFirst(page) ? sorted(rows) : rows);
    // A row is made anew if it or its rate is another one.
    lines.show(shown.map((a) => ({ pid: a.pid, of: a, also: rate.get(a.pid), cells: () => cells(page, a) })));
    const parted = top ? top.later + ' ' + top.next : '';
    if (foot.dataset.of === parted) return;
    foot.dataset.of = parted;
    foot.replaceChildren(top ? parts(page, { ...top, pid: '' }) : '');
  },
};

function cells(page, a) {
  const indent = el('span');
  indent.style.paddingLeft = a.depth * 1.3 + 'rem';
  const fold = a.children ? el('button', {
    class: 'fold', 'aria-expanded': String(a.open), 'aria-label': (a.open ? 'Fold ' : 'Unfold ') + title(a), 'data-key': 'fold' + a.pid, onclick: () => tree.fold(page, a.pid, !a.open),
  }, a.open ? '▾' : '▸') : el('span', { class: 'fold', style: { display: 'inline-block' } });
  const below = a.children ? el('span', { class: 'dim' }, ' ' + count(a.children) + (a.more ? ', of which ' + count(a.more) + ' are not shown' : '')) : '';
  // What is wrong with it, or, while it is folded, with one below it.
  const wrong = a.wrong ? el('span', { class: 'tag bad' }, a.wrong === 1 ? '1 finding' : count(a.wrong) + ' findings') : '';
  return [[indent, fold, el('span', { class: 'name', title: title(a) }, title(a)), below, ' ', wrong, parts(page, a)], state(a), count(a.mailbox), [...lanes(a), fullness(a)],
    rate.has(a.pid) ? count(rate.get(a.pid)) : '–', handler(a.handler), count(a.restarts), el('span', { class: 'name dim mono', title: a.kind }, a.kind)];
}

const folds = () => ({
  open: [...open].slice(-200).join(','), closed: [...closed].slice(-200).join(','), from: [...after].slice(-50).map((pair) => pair.join(':')).join(','),
});

// parts leads to the children of an actor that are not shown.
function parts(page, a) {
  if (!a.later && !a.next) return '';
  const whose = a.pid ? title(a) : 'the top';
  return el('span', {}, ' ',
    a.later ? el('button', { 'aria-label': 'First children of ' + whose, 'data-key': 'first' + a.pid, onclick: () => tree.part(page, a.pid, '') }, '‹ First') : '',
    a.next ? el('button', { 'aria-label': 'Next children of ' + whose, 'data-key': 'next' + a.pid, onclick: () => tree.part(page, a.pid, a.next) }, 'Next ›') : '');
}

// found has the rows that are looked for, and those that they are below.
function found(page, all) {
  const above = [], keep = new Set();
  for (const a of all) {
    above.length = a.depth;
    above[a.depth] = a;
    if (matches(page, a.name, ...(a.names || []), a.kind, a.pid)) for (const one of above) keep.add(one);
  }
  return all.filter((a) => keep.has(a));
}

function measure() {
  const now = performance.now(), seconds = (now - at) / 1000;
  rate = new Map();
  for (const a of rows) if (before.has(a.pid) && seconds > 0.05) rate.set(a.pid, Math.max(0, (a.handled - before.get(a.pid)) / seconds));
  before = new Map(rows.map((a) => [a.pid, a.handled]));
  at = now;
}

// sorted has the slowest and fullest siblings first, each with what is below it.
function sorted(all) {
  const nodes = [], stack = [];
  for (const a of all) {
    const node = { a, below: [] };
    stack.length = a.depth;
    (a.depth ? stack[a.depth - 1].below : nodes).push(node);
    stack[a.depth] = node;
  }
  const weight = (n) => Math.max((n.a.handler ? n.a.handler.seconds * 1e6 : 0) + n.a.mailbox, ...n.below.map(weight));
  const flat = (list) => list.sort((x, y) => weight(y) - weight(x)).flatMap((n) => [n.a, ...flat(n.below)]);
  return flat(nodes);
}
