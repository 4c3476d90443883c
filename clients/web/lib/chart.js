// Lines with bands over a whole number, drawn by uPlot in the colours of the page.

import { language } from "./language.js";
import { html } from "../vendor/lit-html/lit-html.js";
import uPlot from "../vendor/uplot/uPlot.esm.js";

/**
 * One line. `style` is the number of its colour and dashes, from 0; `low` and `high` are the ends of its band,
 * null where there is none.
 * @typedef {{label: string, style: number, values: readonly number[], low?: readonly (number | null)[],
 *   high?: readonly (number | null)[]}} Line
 */
/**
 * The names of the axes; `onCursor` gets the point that the pointer is over.
 * @typedef {{x: string, y: string, onCursor?: (index: number) => void}} Options
 */

/** Colours in chart.css. With the dashes there are 28 different styles, the first 7 of which differ in colour. */
const COLOURS = 7;
const DASHES = [[], [9, 4], [3, 3], [11, 3, 2, 3]];
/** Distances of the marks of the axis of whole numbers: 1, 2, 5, 10 ... */
const WHOLE = Array.from({ length: 30 }, (each, index) => [1, 2, 5][index % 3] * 10 ** Math.floor(index / 3));
/** Narrower than this, in pixels, there is no room for names at the ends of the lines. */
const NARROW = 560;

/** @param {number} style */
export function colour(style) {
  return style % COLOURS;
}

/** A piece of the line, for legends. @param {number} style */
export function swatch(style) {
  return html`<svg class="swatch" data-colour=${colour(style)} viewBox="0 0 34 8" aria-hidden="true"><line x1="1" y1="4"
    x2="33" y2="4" stroke="currentColor" stroke-width="2.5" stroke-dasharray=${dashes(style).join(" ") || "none"}></line></svg>`;
}

/** A drawing in `host`, which gives it its size. */
export class Chart {
  /**
   * @param {HTMLElement} host
   * @param {Options} options
   */
  constructor(host, options) {
    this.host = host;
    this.options = options;
    /** @type {readonly number[]} */
    this.x = [];
    /** @type {readonly Line[]} */
    this.lines = [];
    /** @type {uPlot | null} */
    this.plot = null;
    // Not each time it grows by a pixel, and not while the observer is still telling.
    this.observer = new ResizeObserver(() => requestAnimationFrame(() => this.#fit()));
    this.observer.observe(host);
    this.dark = matchMedia("(prefers-color-scheme: dark)");
    this.redraw = () => this.#make();
    this.dark.addEventListener("change", this.redraw);
  }

  /**
   * @param {readonly number[]} x rising
   * @param {readonly Line[]} lines each with a value for every x
   */
  draw(x, lines) {
    this.x = x;
    this.lines = lines;
    this.#make();
  }

  /** Put the cursor on a point. @param {number} index */
  moveCursor(index) {
    const { plot } = this;
    const at = this.x[index];
    if (!plot || at === undefined || plot.cursor.idx === index) return;
    plot.setCursor({ left: plot.valToPos(at, "x"), top: plot.over.clientHeight / 2 }, false);
  }

  close() {
    this.observer.disconnect();
    this.dark.removeEventListener("change", this.redraw);
    this.plot?.destroy();
    this.plot = null;
  }

  #fit() {
    const { clientWidth: width, clientHeight: height } = this.host;
    if (this.plot && width && height && (width !== this.plot.width || height !== this.plot.height)) this.#make();
  }

  #make() {
    this.plot?.destroy();
    this.plot = null;
    const { clientWidth: width, clientHeight: height } = this.host;
    if (!this.x.length || !width || !height) return;
    const { color: ink, borderTopColor: grid, fontFamily } = getComputedStyle(this.host);
    const font = `12px ${fontFamily}`;
    const named = width >= NARROW && this.lines.length > 1;
    const longest = Math.max(...this.lines.map((line) => shorten(line.label).length));
    const axis = { stroke: ink, font, labelFont: `600 ${font}`, labelSize: 22, grid: { stroke: grid, width: 1 }, ticks: { stroke: grid, width: 1, size: 5 } };
    const values = (/** @type {uPlot} */ each, /** @type {number[]} */ splits) => splits.map((value) => value.toLocaleString(language).replace("-", "−"));
    const colours = this.lines.map((line) => resolveColour(this.host, line.style));
    this.plot = new uPlot({
      width,
      height,
      padding: [10, named ? longest * 7 + 14 : 12, 0, 0],
      legend: { show: false },
      cursor: { y: false, drag: { x: false, y: false }, points: { size: 8 } },
      scales: { x: { time: false } },
      axes: [
        { ...axis, label: this.options.x, values, size: 30, space: 70, incrs: WHOLE },
        { ...axis, label: this.options.y, values, size: (each, texts) => 14 + 7.5 * Math.max(1, ...(texts ?? []).map((text) => text.length)) },
      ],
      series: [{}, ...this.lines.flatMap((line, index) => [
        { label: line.label, stroke: colours[index], width: 2, dash: dashes(line.style), points: { show: false } },
        ...(line.low && line.high ? [bandEdge(), bandEdge()] : []),
      ])],
      bands: bands(this.lines, colours),
      hooks: {
        drawClear: [(plot) => drawZeroLine(plot, ink)],
        draw: named ? [(plot) => drawLabels(plot, this.lines, colours, font)] : [],
        setCursor: [(plot) => typeof plot.cursor.idx === "number" && plot.cursor.event && this.options.onCursor?.(plot.cursor.idx)],
      },
    }, /** @type {uPlot.AlignedData} */ ([this.x, ...this.lines.flatMap((line) => [
      line.values, ...(line.low && line.high ? [line.low, line.high] : []),
    ])]), this.host);
  }
}

/** @param {number} style */
function dashes(style) {
  return DASHES[style % DASHES.length] ?? [];
}

/** @returns {uPlot.Series} */
function bandEdge() {
  return { stroke: "transparent", width: 0, points: { show: false } };
}

/**
 * @param {readonly Line[]} lines
 * @param {readonly string[]} colours
 */
function bands(lines, colours) {
  /** @type {uPlot.Band[]} */
  const found = [];
  let series = 1;
  lines.forEach((line, index) => {
    if (line.low && line.high) {
      found.push({ series: [series + 2, series + 1], fill: (colours[index] ?? "").replace("rgb(", "rgba(").replace(")", ", 0.14)") });
      series += 2;
    }
    series += 1;
  });
  return found;
}

/**
 * A colour of the style sheet as the canvas wants it: by its rules for light and dark.
 * @param {HTMLElement} host
 * @param {number} style
 */
function resolveColour(host, style) {
  const probe = host.ownerDocument.createElement("i");
  probe.dataset.colour = String(colour(style));
  host.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}

/**
 * The line where nothing is won or lost.
 * @param {uPlot} plot
 * @param {string} ink
 */
function drawZeroLine(plot, ink) {
  const { ctx, bbox } = plot;
  const y = plot.valToPos(0, "y", true);
  if (y < bbox.top || y > bbox.top + bbox.height) return;
  ctx.save();
  ctx.strokeStyle = ink;
  ctx.lineWidth = devicePixelRatio;
  ctx.beginPath();
  ctx.moveTo(bbox.left, y);
  ctx.lineTo(bbox.left + bbox.width, y);
  ctx.stroke();
  ctx.restore();
}

/**
 * Names at the ends of the lines, moved apart where they would meet.
 * @param {uPlot} plot
 * @param {readonly Line[]} lines
 * @param {readonly string[]} colours
 * @param {string} font
 */
function drawLabels(plot, lines, colours, font) {
  const { ctx, bbox } = plot;
  const ratio = devicePixelRatio;
  const ends = lines.map((line, index) => ({ line, index, y: plot.valToPos(line.values.at(-1) ?? 0, "y", true) }));
  ends.sort((a, b) => a.y - b.y);
  const positions = spreadOut(ends.map((end) => end.y), 14 * ratio, bbox.top, bbox.top + bbox.height);
  ctx.save();
  ctx.font = font.replace("12px", `${12 * ratio}px`);
  ctx.textAlign = "left";
  ctx.textBaseline = "middle";
  ends.forEach(({ line, index }, place) => {
    ctx.fillStyle = colours[index] ?? "";
    ctx.fillText(shorten(line.label), bbox.left + bbox.width + 6 * ratio, positions[place] ?? 0);
  });
  ctx.restore();
}

/** @param {string} name */
function shorten(name) {
  return name.length > 16 ? `${name.slice(0, 15)}…` : name;
}

/**
 * The rising numbers moved as little as need be, so that neighbours are `gap` apart, within `from` and `to`.
 * @param {readonly number[]} wanted
 * @param {number} gap
 * @param {number} from
 * @param {number} to
 */
export function spreadOut(wanted, gap, from, to) {
  /** @type {number[]} */
  const found = [];
  for (const place of wanted) found.push(Math.max(place, from, (found.at(-1) ?? -Infinity) + gap));
  for (let index = found.length - 1, most = to; index >= 0; index -= 1) {
    found[index] = Math.min(found[index] ?? 0, most);
    most = (found[index] ?? 0) - gap;
  }
  return found;
}
