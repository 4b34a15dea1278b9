// Charts on a canvas: lines over time, by uPlot, and the time-lines of workers.
import { clock, el } from './dom.js';

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

const tones = ['accent', 'steal', 'good', 'preempt'];

// Where the pointer is in one plot, the time is marked in all of them.
const cursor = uPlot.sync('time');

// parted returns times and series with a hole wherever nobody has looked for a while.
export function parted(times, series) {
  const steps = times.slice(1).map((t, i) => t - times[i]).sort((a, b) => a - b);
  const most = Math.max(5000, 3 * (steps[steps.length >> 1] || 0));
  const out = [[], ...series.map(() => [])];
  times.forEach((t, i) => {
    if (i && t - times[i - 1] > most) {
      out[0].push(times[i - 1] + 1);
      series.forEach((_, n) => out[n + 1].push(null));
    }
    out[0].push(t);
    series.forEach((values, n) => out[n + 1].push(Number.isFinite(values[i]) ? values[i] : null));
  });
  return out;
}

// Plot has lines over time, with axes, a legend and the values under the pointer. The first line is filled.
export class Plot {
  constructor(title, names, format, height = 120) {
    this.place = el('div', { class: 'plot', role: 'img', 'aria-label': title + ' over time' });
    this.names = names;
    this.format = format;
    this.height = height;
    this.plot = null;
    this.span = 60e3;
  }

  options(width) {
    const axis = { stroke: () => colour('dim'), grid: { stroke: () => colour('line'), width: 1 }, ticks: { show: false }, font: '11px system-ui, sans-serif' };
    return {
      width, height: this.height, ms: 1, padding: [8, 24, 0, 0],
      cursor: { sync: { key: cursor.key, scales: ['x', null] }, drag: { x: false, y: false }, points: { size: 6 } },
      scales: { x: { time: true, range: (u, low, high) => [Math.max(high - this.span, Math.min(low, high - 60e3)), high] }, y: { range: (u, low, high) => [0, (high || 1) * 1.08] } },
      axes: [
        { ...axis, size: 26, space: 70, values: (u, all) => all.map((t) => clock(t).slice(0, this.span < 600e3 ? 8 : 5)) },
        { ...axis, size: 58, space: 28, values: (u, all) => all.map((v) => (v ? this.format(v) : '0')) },
      ],
      series: [
        { label: 'Time', value: (u, t) => (t == null ? '' : clock(t)) },
        ...this.names.map((label, n) => ({
          label, stroke: () => colour(tones[n]), width: 1.5, points: { show: false }, spanGaps: false, value: (u, v) => (v == null ? '–' : this.format(v)),
          fill: n ? null : () => colour(tones[n]) + '20',
        })),
      ],
    };
  }

  // draw shows the series of a time, in ms.
  draw(times, series, span) {
    this.span = span;
    const width = this.place.clientWidth;
    if (!width) return;
    const data = parted(times, series), ground = colour('bg');
    if (this.ground !== ground) this.end(); // Dark and light have colours of their own, also in the legend.
    this.ground = ground;
    if (!this.plot) {
      this.plot = new uPlot(this.options(width), data, this.place);
      this.plot.root.querySelectorAll('.u-legend th').forEach((e) => e.removeAttribute('style'));
      return;
    }
    if (this.plot.width !== width) this.plot.setSize({ width, height: this.height });
    this.plot.setData(data);
  }

  end() {
    if (this.plot) this.plot.destroy();
    this.plot = null;
  }
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
