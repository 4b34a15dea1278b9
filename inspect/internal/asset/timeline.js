// Time-lines of workers on canvases that are zoomed and moved together.
import { el, plain, time } from './dom.js';

const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue('--' + name).trim();

// hue gives each kind of work a colour of its own, always the same.
function hue(text) {
  let h = 0;
  for (const c of text) h = (h * 31 + c.codePointAt(0)) % 360;
  return h;
}

export function timelines(r, tell) {
  const node = el('div', { class: 'workers', tabindex: 0, 'data-key': 'timelines', 'aria-label': 'Time-lines of the workers', onkeydown: key });
  if (!r || !r.tracks.length) return { node, paint() {}, zoom() {}, all() {} };
  const whole = { from: r.from, to: Math.max(r.to, r.from + 1000) };
  let at = { from: r.full ?? whole.from, to: whole.to }, due = false;
  const rows = r.tracks.map((t) => ({ t, canvas: el('canvas', { class: 'track', role: 'img', 'aria-label': 'Worker ' + t.id + ' over time' }) }));
  const axis = el('span', { class: 'dim' });
  for (const { t, canvas } of rows) node.append(el('span', {}, 'worker ' + t.id), canvas, el('span'));
  node.append(el('span'), axis, el('span'));
  for (const row of rows) wire(row);

  function paint() {
    if (due) return;
    due = true;
    requestAnimationFrame(() => {
      due = false;
      for (const row of rows) draw(row.canvas, row.t, at);
      axis.textContent = time((at.to - at.from) / 1e9) + ' shown, the right edge is ' + (r.to - at.to > 1 ? time((r.to - at.to) / 1e9) + ' before' : 'at') + ' the end';
    });
  }
  function show(from, to) {
    const width = Math.min(Math.max(to - from, 1000), whole.to - whole.from);
    from = Math.min(Math.max(from, whole.from), whole.to - width);
    at = { from, to: from + width };
    paint();
  }
  function zoom(factor, part = 0.5) {
    const middle = at.from + (at.to - at.from) * part, width = (at.to - at.from) * factor;
    show(middle - width * part, middle + width * (1 - part));
  }
  const move = (part) => show(at.from + (at.to - at.from) * part, at.to + (at.to - at.from) * part);
  function key(e) {
    const does = { '+': () => zoom(0.5), '=': () => zoom(0.5), '-': () => zoom(2), ArrowLeft: () => move(-0.2), ArrowRight: () => move(0.2), 0: () => show(whole.from, whole.to) }[e.key];
    if (!does || e.ctrlKey || e.metaKey) return;
    does();
    e.preventDefault();
    e.stopPropagation();
  }
  function wire({ t, canvas }) {
    let last = null;
    const part = (e) => (e.clientX - canvas.getBoundingClientRect().left) / canvas.clientWidth;
    canvas.addEventListener('wheel', (e) => { e.preventDefault(); zoom(e.deltaY < 0 ? 0.8 : 1.25, part(e)); }, { passive: false });
    canvas.addEventListener('pointerdown', (e) => { last = part(e); canvas.setPointerCapture(e.pointerId); });
    canvas.addEventListener('pointerup', () => { last = null; });
    canvas.addEventListener('pointermove', (e) => {
      const p = part(e);
      if (last !== null) { move(last - p); last = p; }
      tell.textContent = under(t, at.from + (at.to - at.from) * p, (at.to - at.from) / canvas.clientWidth * 3) || '\u00a0';
    });
  }
  return { node, paint, zoom, all: () => show(whole.from, whole.to) };
}

// first finds the first of those in order whose key is not below.
function first(all, key, below) {
  let lo = 0, hi = all.length;
  while (lo < hi) {
    const mid = (lo + hi) >> 1;
    if (key(all[mid]) < below) lo = mid + 1; else hi = mid;
  }
  return lo;
}

// under says what is at a moment, give or take.
function under(t, moment, near) {
  const tick = t.ticks[first(t.ticks, (m) => m.at, moment - near)];
  const s = t.slices[first(t.slices, (m) => m.to, moment)], m = t.messages[first(t.messages, (x) => x.to, moment)];
  const texts = [];
  if (s && s.from <= moment) texts.push((s.kind === 'work' ? (s.label[2] || s.label[0]) + (s.label[1] ? ' <' + s.label[1] + '>' : '') + (s.again ? ', goes on' : '') : s.kind) + ', ' + time((s.to - s.from) / 1e9));
  if (m && m.from <= moment) texts.push('message ' + m.name);
  if (tick && tick.at <= moment + near) texts.push(tick.kind + ' ' + tick.name);
  return plain(texts.join(' · '));
}

function draw(canvas, t, at) {
  const ratio = window.devicePixelRatio || 1, w = canvas.clientWidth || 300, h = canvas.clientHeight || 44;
  canvas.width = Math.round(w * ratio);
  canvas.height = Math.round(h * ratio);
  const g = canvas.getContext('2d');
  g.scale(ratio, ratio);
  const dark = getComputedStyle(document.documentElement).colorScheme.trim() === 'dark' || (colour('bg') === '#12161b');
  const x = (v) => ((v - at.from) / (at.to - at.from)) * w;
  g.fillStyle = colour('line');
  g.fillRect(0, h - 1, w, 1);
  let covered = -1; // Slices that fall into the pixel of the one before are not drawn again.
  for (let i = first(t.slices, (s) => s.to, at.from); i < t.slices.length && t.slices[i].from <= at.to; i++) {
    const s = t.slices[i], from = x(s.from), to = Math.max(x(s.to), from + 0.7);
    if (to <= covered) continue;
    if (s.kind === 'work') {
      g.fillStyle = `hsl(${hue(s.label[2] || s.label[0])} 55% ${dark ? 58 : 48}%)`;
      g.fillRect(from, 8, to - from, h - 12);
      if (to - from > 50) {
        g.fillStyle = dark ? '#10141a' : '#fff';
        g.font = '11px system-ui, sans-serif';
        g.fillText((s.label[2] || s.label[0]).slice(0, Math.floor((to - from) / 7)), Math.max(from, 0) + 3, h / 2 + 6);
      }
    } else {
      g.fillStyle = colour('park');
      g.fillRect(from, h - 6, to - from, s.kind === 'park' ? 4 : 2);
    }
    covered = Math.floor(to * 2) / 2;
  }
  for (let i = first(t.ticks, (m) => m.at, at.from), last = -9; i < t.ticks.length && t.ticks[i].at <= at.to; i++) {
    const m = t.ticks[i], px = x(m.at);
    if (m.kind === 'suspend' || m.kind === 'yield' || (px - last < 1 && m.kind === 'steal')) continue;
    g.fillStyle = colour({ steal: 'steal', mark: 'accent' }[m.kind] || 'preempt');
    g.fillRect(px - 1, 0, 2.5, 7);
    last = px;
  }
}
