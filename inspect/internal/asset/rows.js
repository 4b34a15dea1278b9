// A table of many rows, of which only those in sight are made, with some before and behind them. All have the same height.
import { el, line, table } from './dom.js';

const spare = 15; // Rows that are made beyond those in sight, at either end: so the next one is there for the keys.

// windowed returns a table, and show, which gives it other rows. A row has a pid, the cells as a function, and of and also: while
// these two are the same, its element is kept.
export function windowed(columns) {
  const element = table(columns, []), body = element.querySelector('tbody'), head = element.querySelector('thead');
  element.firstChild.classList.add('windowed');
  const above = el('tr', { class: 'unseen', 'aria-hidden': 'true' }, el('td', { colspan: columns.length }));
  const below = el('tr', { class: 'unseen', 'aria-hidden': 'true' }, el('td', { colspan: columns.length }));
  let rows = [], made = new Map(), height = 0, asked = false, from = -1, to = -1;

  // range says which rows are in sight.
  function range() {
    const top = head.getBoundingClientRect().bottom, each = height || 28;
    const first = Math.max(0, Math.floor(-top / each) - spare);
    return [Math.min(first, rows.length), Math.min(rows.length, Math.ceil((innerHeight - top) / each) + spare)];
  }

  function place() {
    [from, to] = range();
    to = Math.max(from, to);
    const at = document.activeElement, focused = body.contains(at) ? [at.closest('tr').dataset.pid, at.dataset.key] : null;
    const kept = new Map(), wanted = from > 0 ? [above] : [];
    for (const r of rows.slice(from, to)) {
      let m = made.get(r.pid);
      if (!m || m.of !== r.of || m.also !== r.also) m = { of: r.of, also: r.also, tr: line(columns, { pid: r.pid, cells: r.cells() }) };
      kept.set(r.pid, m);
      wanted.push(m.tr);
    }
    made = kept;
    if (to < rows.length) wanted.push(below);
    above.firstChild.style.height = from * (height || 28) + 'px';
    below.firstChild.style.height = (rows.length - to) * (height || 28) + 'px';
    const stays = new Set(wanted);
    for (const tr of [...body.children]) if (!stays.has(tr)) tr.remove();
    let next = body.firstChild;
    for (const tr of wanted) {
      if (tr === next) next = next.nextSibling;
      else body.insertBefore(tr, next);
    }
    for (let n = from; n < to; n++) made.get(rows[n].pid).tr.setAttribute('aria-rowindex', n + 2); // The head is the first.
    element.firstChild.setAttribute('aria-rowcount', rows.length + 1);
    if (focused && !at.isConnected) {
      const tr = made.get(focused[0])?.tr;
      [tr, ...(tr?.querySelectorAll('[data-key]') ?? [])].find((e) => e?.dataset.key === focused[1])?.focus({ preventScroll: true });
    }
    if (!height && to > from) {
      height = made.get(rows[from].pid).tr.getBoundingClientRect().height;
      if (height) place();
    }
  }

  // moved makes the rows that have come into sight, once for each picture of the screen.
  function moved() {
    if (asked || !element.isConnected) return;
    asked = true;
    requestAnimationFrame(() => {
      asked = false;
      if (!element.isConnected) return;
      const [first, last] = range();
      // Most of the spare rows may be used up before others are made.
      if (Math.abs(first - from) >= spare / 3 || Math.abs(last - to) >= spare / 3 || first === 0 && from !== 0) place();
    });
  }
  const gone = new AbortController();
  for (const event of ['scroll', 'resize']) {
    addEventListener(event, () => { if (element.isConnected) moved(); else if (from >= 0) gone.abort(); }, { passive: true, signal: gone.signal });
  }
  return { element, show(all) { rows = all; place(); } };
}
