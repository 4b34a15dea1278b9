// Charts on a canvas: lines over time, and the time-lines of workers.

const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue('--' + name).trim();

function prepare(canvas) {
  const ratio = window.devicePixelRatio || 1;
  const w = canvas.clientWidth || 300, h = canvas.clientHeight || 72;
  canvas.width = Math.round(w * ratio);
  canvas.height = Math.round(h * ratio);
  const g = canvas.getContext('2d');
  g.scale(ratio, ratio);
  return { g, w, h };
}

// round returns the next larger of 1, 2, 5, 10, ...
function round(v) {
  const p = 10 ** Math.floor(Math.log10(v || 1));
  return [1, 2, 5, 10].map((m) => m * p).find((m) => m >= v) || 10 * p;
}

// lines draws series of {values, name}, the first one filled; times are in ms.
export function lines(canvas, times, series, format) {
  const { g, w, h } = prepare(canvas);
  const most = Math.max(0, ...series.flatMap((s) => s.values.filter(Number.isFinite)));
  const top = most ? round(most) : 1;
  const end = times.length ? times[times.length - 1] : 0;
  const span = Math.max(60e3, end - (times[0] || 0));
  const x = (t) => w - ((end - t) / span) * w;
  const y = (v) => h - 2 - (v / top) * (h - 14);
  g.strokeStyle = colour('line');
  g.beginPath();
  for (const part of [0, 0.5, 1]) { g.moveTo(0, Math.round(y(top * part)) + 0.5); g.lineTo(w, Math.round(y(top * part)) + 0.5); }
  g.stroke();
  const tones = ['accent', 'steal', 'good', 'preempt'];
  series.forEach((s, n) => {
    g.strokeStyle = g.fillStyle = colour(s.tone || tones[n]);
    g.lineWidth = 1.6;
    g.beginPath();
    let from = null, last = 0;
    s.values.forEach((v, i) => {
      if (!Number.isFinite(v)) return;
      last = x(times[i]);
      if (from === null) { from = last; g.moveTo(last, y(v)); } else g.lineTo(last, y(v));
    });
    g.stroke();
    if (n === 0 && from !== null) {
      g.lineTo(last, h); g.lineTo(from, h);
      g.globalAlpha = 0.12; g.fill(); g.globalAlpha = 1;
    }
  });
  g.fillStyle = colour('dim');
  g.font = '11px system-ui, sans-serif';
  if (most) g.fillText(format(top), 2, 10);
}

// lane draws what a worker did, a column for each sample: how much it ran by
// the height, and marks for what it stole, and for when it parked or was
// preempted.
export function lane(canvas, cells, most) {
  const { g, w, h } = prepare(canvas);
  const width = Math.max(2, w / 120);
  g.fillStyle = colour('line');
  g.fillRect(0, h - 1, w, 1);
  cells.slice(-120).reverse().forEach((c, i) => {
    const x = w - (i + 1) * width;
    if (!c) return;
    const bar = c.ran ? Math.max(2, Math.log1p(c.ran) / Math.log1p(most) * (h - 8)) : 0;
    g.fillStyle = colour(c.blocked ? 'bad' : 'accent');
    g.fillRect(x, h - bar - 1, width - 0.6, bar);
    if (c.parked) { g.fillStyle = colour('park'); g.fillRect(x, h - 3, width - 0.6, 3); }
    if (c.stolen) { g.fillStyle = colour('steal'); g.fillRect(x, 0, width - 0.6, 3); }
    if (c.preempted) { g.fillStyle = colour('preempt'); g.fillRect(x, 4, width - 0.6, 3); }
  });
}
