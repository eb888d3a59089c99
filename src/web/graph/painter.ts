// Draws a laid-out graph on a canvas: only what is in sight, and from afar only what can be told apart there.

import type { Tone } from '../base/states.ts';
import { toneOrder } from '../base/states.ts';
import { colour } from '../base/theme.ts';
import { filledTones, glyphs } from '../parts/icon.tsx';
import type { ToneCounts } from '../parts/progress-bar.tsx';
import type { Layout } from './layout.ts';

export interface PaintedNode {
  readonly label: string;
  readonly tone: Tone;
  /** Drawn as a stack with a bar of its parts. */
  readonly parts?: ToneCounts | undefined;
  /** Drawn with a heavier border. */
  readonly marked?: boolean | undefined;
}

export interface Scene {
  readonly layout: Layout;
  readonly widths: readonly number[];
  readonly edges: readonly (readonly [number, number])[];
  readonly node: (i: number) => PaintedNode;
  readonly chosen: number | undefined;
  readonly hovered: number | undefined;
}

export interface View {
  x: number;
  y: number;
  scale: number;
}

export const nodeHeight = 34;
const labelScale = 0.42;
const leastWidth = 90;
const mostWidth = 250;
const fontOf = (weight: number): string => `${weight} 13px system-ui, sans-serif`;
const tones: readonly Tone[] = [...toneOrder, 'keep'];

export class Painter {
  readonly #context: CanvasRenderingContext2D;
  readonly #glyphs = new Map<Tone, Path2D>(tones.map((tone) => [tone, new Path2D(glyphs[tone])]));
  #colours = new Map<string, string>();

  constructor(context: CanvasRenderingContext2D) {
    this.#context = context;
  }

  /** How wide a node with this label wants to be. */
  widthFor(label: string): number {
    this.#context.font = fontOf(600);
    return Math.min(mostWidth, Math.max(leastWidth, 50 + this.#context.measureText(label).width));
  }

  /** Reads the colours of the theme again. */
  refreshColours(): void {
    this.#colours = new Map();
  }

  #colour(name: string): string {
    let value = this.#colours.get(name);
    if (value === undefined) {
      value = colour(name);
      this.#colours.set(name, value);
    }
    return value;
  }

  #toneColour(tone: Tone, soft = false): string {
    const base = tone === 'keep' ? 'ok' : tone === 'ready' || tone === 'skip' ? 'wait' : tone;
    return this.#colour(soft ? `${base}-soft` : base);
  }

  paint(scene: Scene, view: View, width: number, height: number, ratio: number): void {
    const c = this.#context;
    c.setTransform(ratio, 0, 0, ratio, 0, 0);
    c.clearRect(0, 0, width, height);
    c.translate(view.x, view.y);
    c.scale(view.scale, view.scale);
    const left = -view.x / view.scale;
    const top = -view.y / view.scale;
    const sight = { left, top, right: left + width / view.scale, bottom: top + height / view.scale };
    this.#edges(scene, view, sight);
    this.#nodes(scene, view, sight);
  }

  #edges({ layout: { places }, widths, edges, chosen }: Scene, view: View, sight: Sight): void {
    const c = this.#context;
    const straight = view.scale < 0.25;
    const draw = (from: number, to: number): void => {
      const x1 = (places[2 * from] as number) + (widths[from] as number);
      const y1 = (places[2 * from + 1] as number) + nodeHeight / 2;
      const x2 = places[2 * to] as number;
      const y2 = (places[2 * to + 1] as number) + nodeHeight / 2;
      if (Math.max(x1, x2) < sight.left || Math.min(x1, x2) > sight.right) return;
      if (Math.max(y1, y2) < sight.top || Math.min(y1, y2) > sight.bottom) return;
      c.moveTo(x1, y1);
      const bend = Math.max(20, Math.abs(x2 - x1) / 2);
      if (straight) c.lineTo(x2, y2);
      else c.bezierCurveTo(x1 + bend, y1, x2 - bend, y2, x2, y2);
    };
    c.lineWidth = Math.max(1, 0.6 / view.scale);
    c.strokeStyle = this.#colour('line-strong');
    c.beginPath();
    for (const [from, to] of edges) if (from !== chosen && to !== chosen) draw(from, to);
    c.stroke();
    if (chosen === undefined) return;
    c.strokeStyle = this.#colour('accent');
    c.lineWidth = Math.max(2, 1.2 / view.scale);
    c.beginPath();
    for (const [from, to] of edges) if (from === chosen || to === chosen) draw(from, to);
    c.stroke();
  }

  #nodes(scene: Scene, view: View, sight: Sight): void {
    const { layout, widths } = scene;
    const far = view.scale < labelScale;
    for (let i = 0; i < widths.length; i += 1) {
      const x = layout.places[2 * i] as number;
      const y = layout.places[2 * i + 1] as number;
      const width = widths[i] as number;
      if (x > sight.right || x + width < sight.left || y > sight.bottom || y + nodeHeight < sight.top)
        continue;
      if (far) this.#farNode(scene, i, x, y, width);
      else this.#node(scene, i, x, y, width);
    }
  }

  #farNode(scene: Scene, i: number, x: number, y: number, width: number): void {
    const c = this.#context;
    const { tone, parts } = scene.node(i);
    if (parts) {
      this.#partsBar(parts, x, y, width, nodeHeight);
    } else if (tone === 'wait' || tone === 'skip') {
      c.fillStyle = this.#toneColour(tone, true);
      c.fillRect(x, y, width, nodeHeight);
    } else {
      c.fillStyle = this.#toneColour(tone);
      c.fillRect(x, y, width, nodeHeight);
    }
    if (i !== scene.chosen && i !== scene.hovered) return;
    c.strokeStyle = this.#colour('accent');
    c.lineWidth = 6;
    c.strokeRect(x - 4, y - 4, width + 8, nodeHeight + 8);
  }

  #node(scene: Scene, i: number, x: number, y: number, width: number): void {
    const c = this.#context;
    const { label, tone, parts, marked } = scene.node(i);
    const ink = this.#toneColour(tone);
    if (parts) {
      c.fillStyle = this.#colour('surface');
      c.strokeStyle = this.#colour('line-strong');
      c.lineWidth = 1;
      for (const shift of [6, 3]) {
        c.beginPath();
        c.roundRect(x + shift, y + shift, width - 6, nodeHeight - 2, 8);
        c.fill();
        c.stroke();
      }
    }
    c.beginPath();
    c.roundRect(x, y, parts ? width - 6 : width, parts ? nodeHeight - 2 : nodeHeight, 8);
    c.fillStyle = tone === 'skip' ? this.#colour('bg') : this.#toneColour(tone, true);
    c.fill();
    const strong = i === scene.chosen;
    c.lineWidth = strong ? 2.5 : marked ? 2 : 1;
    c.strokeStyle = strong ? this.#colour('accent') : i === scene.hovered ? this.#colour('ink-2') : ink;
    c.setLineDash(tone === 'skip' || tone === 'wait' ? [4, 3] : []);
    if (strong) c.setLineDash([]);
    c.stroke();
    c.setLineDash([]);
    this.#glyph(tone, x + 9, y + (parts ? 6 : 9), ink);
    c.fillStyle = this.#colour('ink');
    c.font = fontOf(parts ? 600 : 500);
    c.textBaseline = 'middle';
    c.fillText(fitted(c, label, width - 42), x + 31, y + (parts ? 13.5 : nodeHeight / 2 + 0.5));
    if (parts) this.#partsBar(parts, x + 9, y + nodeHeight - 9, width - 24, 3.5);
  }

  #glyph(tone: Tone, x: number, y: number, ink: string): void {
    const c = this.#context;
    const path = this.#glyphs.get(tone);
    if (!path) return;
    c.save();
    c.translate(x, y);
    if (filledTones.has(tone)) {
      c.fillStyle = ink;
      c.fill(path);
    } else {
      c.strokeStyle = ink;
      c.lineWidth = 2;
      c.lineCap = 'round';
      c.lineJoin = 'round';
      c.stroke(path);
    }
    c.restore();
  }

  #partsBar(parts: ToneCounts, x: number, y: number, width: number, height: number): void {
    const c = this.#context;
    const total = Object.values(parts).reduce((sum, count) => sum + count, 0);
    let at = x;
    for (const tone of toneOrder) {
      const count = parts[tone];
      if (!count) continue;
      const length = (width * count) / total;
      c.fillStyle =
        tone === 'wait' || tone === 'ready' || tone === 'skip'
          ? this.#colour('line-strong')
          : this.#toneColour(tone);
      c.fillRect(at, y, length, height);
      at += length;
    }
  }
}

interface Sight {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

const fittings = new Map<string, string>();

/** The text, shortened in the middle to the width; both ends of an id matter. */
function fitted(c: CanvasRenderingContext2D, text: string, width: number): string {
  const key = `${width} ${text}`;
  const known = fittings.get(key);
  if (known !== undefined) return known;
  if (fittings.size > 20_000) fittings.clear();
  let result = text;
  for (let keep = text.length - 1; keep > 4 && c.measureText(result).width > width; keep -= 1) {
    const head = Math.ceil(keep * 0.6);
    result = `${text.slice(0, head)}…${text.slice(text.length - (keep - head))}`;
  }
  fittings.set(key, result);
  return result;
}
