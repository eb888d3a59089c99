// A graph that can be moved, zoomed and walked through, with mouse, fingers and keys.
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { paint } from '../base/theme.ts';
import { Icon } from '../parts/icon.tsx';
import { askLayout } from './ask-layout.ts';
import type { Layout } from './layout.ts';
import { nodeHeight, type PaintedNode, Painter, type View } from './painter.ts';

export interface GraphCanvasProps {
  readonly label: string;
  /** Changes when nodes or edges do. */
  readonly shape: unknown;
  readonly labels: readonly string[];
  readonly edges: readonly (readonly [number, number])[];
  readonly node: (i: number) => PaintedNode;
  readonly chosen: number | undefined;
  /** Changes when only looks do. */
  readonly version: unknown;
  readonly onChoose: (i: number | undefined) => void;
  readonly onOpen?: (i: number) => void;
  readonly children?: preact.ComponentChildren;
}

const mostScale = 2.5;
const leastScale = 0.02;

export function GraphCanvas(props: GraphCanvasProps) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const board = useRef<Board | undefined>(undefined);
  // Before anything else happens, so that the next key acts on what is shown.
  useLayoutEffect(() => {
    if (!canvas.current) return;
    board.current = new Board(canvas.current);
    return () => board.current?.close();
  }, []);
  useLayoutEffect(() => void board.current?.show(props), [props.shape]);
  useLayoutEffect(() => board.current?.update(props));
  const colours = paint.value;
  useEffect(() => board.current?.repaint(), [colours]);
  return (
    <div class="graph">
      <canvas ref={canvas} tabIndex={0} role="application" aria-label={props.label} />
      <div class="graph-tools">
        {props.children}
        <button
          type="button"
          class="button small"
          aria-label="Closer"
          onClick={() => board.current?.zoom(1.3)}
        >
          <Icon name="add" size={16} />
        </button>
        <button
          type="button"
          class="button small"
          aria-label="Further away"
          onClick={() => board.current?.zoom(1 / 1.3)}
        >
          <Icon name="minus" size={16} />
        </button>
        <button
          type="button"
          class="button small"
          aria-label="Show everything"
          onClick={() => board.current?.fit()}
        >
          <Icon name="fit" size={16} />
        </button>
      </div>
    </div>
  );
}

/** The canvas with its layout and view; everything here happens outside the rendering of components. */
class Board {
  readonly #canvas: HTMLCanvasElement;
  readonly #painter: Painter;
  readonly #observer: ResizeObserver;
  readonly #pointers = new Map<number, PointerEvent>();
  #props: GraphCanvasProps | undefined;
  #layout: Layout | undefined;
  #widths: readonly number[] = [];
  #shown: { readonly edges: GraphCanvasProps['edges']; readonly node: GraphCanvasProps['node'] } | undefined;
  #view: View = { x: 0, y: 0, scale: 1 };
  #hovered: number | undefined;
  #frame = 0;
  #moved = 0;
  #asked = 0;
  #touched = false;

  constructor(canvas: HTMLCanvasElement) {
    this.#canvas = canvas;
    this.#painter = new Painter(canvas.getContext('2d') as CanvasRenderingContext2D);
    this.#observer = new ResizeObserver(() => {
      if (!this.#touched) this.fit();
      this.#draw();
    });
    this.#observer.observe(canvas);
    canvas.addEventListener('wheel', this.#wheel, { passive: false });
    canvas.addEventListener('pointerdown', this.#down);
    canvas.addEventListener('pointermove', this.#move);
    canvas.addEventListener('pointerup', this.#up);
    canvas.addEventListener('pointercancel', this.#up);
    canvas.addEventListener('dblclick', this.#double);
    canvas.addEventListener('keydown', this.#key);
  }

  close(): void {
    cancelAnimationFrame(this.#frame);
    this.#observer.disconnect();
  }

  async show(props: GraphCanvasProps): Promise<void> {
    const widths = props.labels.map((label) => this.#painter.widthFor(label));
    const asked = ++this.#asked;
    const layout = await askLayout({ widths, height: nodeHeight, edges: props.edges });
    if (asked !== this.#asked) return;
    this.#layout = layout;
    this.#widths = widths;
    this.#shown = { edges: props.edges, node: props.node };
    this.#canvas.dataset.nodes = String(widths.length);
    if (!this.#touched) this.fit();
    this.#draw();
  }

  update(props: GraphCanvasProps): void {
    this.#props = props;
    if (this.#shown && props.edges === this.#shown.edges)
      this.#shown = { edges: props.edges, node: props.node };
    this.#draw();
  }

  repaint(): void {
    this.#painter.refreshColours();
    this.#draw();
  }

  fit(): void {
    const { clientWidth, clientHeight } = this.#canvas;
    const layout = this.#layout;
    if (!layout || clientWidth === 0) return;
    const margin = 28;
    const scale = Math.min(
      (clientWidth - 2 * margin) / layout.width,
      (clientHeight - 2 * margin) / layout.height,
      1.1,
    );
    this.#view.scale = Math.max(leastScale, scale);
    this.#view.x = (clientWidth - layout.width * this.#view.scale) / 2;
    this.#view.y = (clientHeight - layout.height * this.#view.scale) / 2;
    this.#touched = false;
    this.#draw();
  }

  zoom(factor: number, x = this.#canvas.clientWidth / 2, y = this.#canvas.clientHeight / 2): void {
    const scale = Math.min(mostScale, Math.max(leastScale, this.#view.scale * factor));
    const real = scale / this.#view.scale;
    this.#view.x = x - (x - this.#view.x) * real;
    this.#view.y = y - (y - this.#view.y) * real;
    this.#view.scale = scale;
    this.#touched = true;
    this.#draw();
  }

  #draw(): void {
    if (this.#frame !== 0) return;
    this.#frame = requestAnimationFrame(() => {
      this.#frame = 0;
      this.#paint();
    });
  }

  #paint(): void {
    const { clientWidth, clientHeight } = this.#canvas;
    const ratio = devicePixelRatio || 1;
    const [width, height] = [Math.round(clientWidth * ratio), Math.round(clientHeight * ratio)];
    if (this.#canvas.width !== width || this.#canvas.height !== height) {
      this.#canvas.width = width;
      this.#canvas.height = height;
    }
    const [layout, shown] = [this.#layout, this.#shown];
    if (!layout || !shown) return;
    const chosen = this.#props?.chosen;
    const scene = { layout, widths: this.#widths, ...shown, chosen, hovered: this.#hovered };
    this.#painter.paint(scene, this.#view, clientWidth, clientHeight, ratio);
  }

  #at(event: MouseEvent): number | undefined {
    const layout = this.#layout;
    if (!layout) return undefined;
    const box = this.#canvas.getBoundingClientRect();
    const x = (event.clientX - box.left - this.#view.x) / this.#view.scale;
    const y = (event.clientY - box.top - this.#view.y) / this.#view.scale;
    for (let i = 0; i < this.#widths.length; i += 1) {
      const [left, top] = [layout.places[2 * i] as number, layout.places[2 * i + 1] as number];
      if (x >= left && x <= left + (this.#widths[i] as number) && y >= top && y <= top + nodeHeight) return i;
    }
    return undefined;
  }

  #wheel = (event: WheelEvent): void => {
    event.preventDefault();
    const box = this.#canvas.getBoundingClientRect();
    if (event.ctrlKey || !event.shiftKey) {
      this.zoom(Math.exp(-event.deltaY * 0.0016), event.clientX - box.left, event.clientY - box.top);
      return;
    }
    this.#view.x -= event.deltaY;
    this.#touched = true;
    this.#draw();
  };

  #down = (event: PointerEvent): void => {
    this.#canvas.setPointerCapture(event.pointerId);
    this.#pointers.set(event.pointerId, event);
    if (this.#pointers.size === 1) this.#moved = 0;
  };

  #move = (event: PointerEvent): void => {
    const before = this.#pointers.get(event.pointerId);
    if (!before) {
      this.#hover(event);
      return;
    }
    const others = [...this.#pointers.values()].filter((one) => one.pointerId !== event.pointerId);
    const other = others[0];
    if (other) {
      const was = Math.hypot(before.clientX - other.clientX, before.clientY - other.clientY);
      const is = Math.hypot(event.clientX - other.clientX, event.clientY - other.clientY);
      const box = this.#canvas.getBoundingClientRect();
      const [x, y] = [(event.clientX + other.clientX) / 2, (event.clientY + other.clientY) / 2];
      if (was > 0) this.zoom(is / was, x - box.left, y - box.top);
    } else {
      this.#view.x += event.clientX - before.clientX;
      this.#view.y += event.clientY - before.clientY;
    }
    this.#moved += Math.abs(event.clientX - before.clientX) + Math.abs(event.clientY - before.clientY);
    if (this.#moved > 4) this.#touched = true;
    this.#pointers.set(event.pointerId, event);
    this.#draw();
  };

  #up = (event: PointerEvent): void => {
    this.#pointers.delete(event.pointerId);
    if (this.#moved > 4 || event.type === 'pointercancel') return;
    this.#props?.onChoose(this.#at(event));
  };

  #double = (event: MouseEvent): void => {
    const at = this.#at(event);
    if (at !== undefined) this.#props?.onOpen?.(at);
  };

  #hover(event: PointerEvent): void {
    const at = this.#at(event);
    if (at === this.#hovered) return;
    this.#hovered = at;
    this.#canvas.style.cursor = at === undefined ? 'grab' : 'pointer';
    this.#canvas.title = at === undefined ? '' : (this.#props?.labels[at] ?? '');
    this.#draw();
  }

  #key = (event: KeyboardEvent): void => {
    const steps: Record<string, readonly [number, number]> = {
      ArrowLeft: [-1, 0],
      ArrowRight: [1, 0],
      ArrowUp: [0, -1],
      ArrowDown: [0, 1],
    };
    const step = steps[event.key];
    const chosen = this.#props?.chosen;
    if (step) this.#walk(step);
    else if (event.key === '+' || event.key === '=') this.zoom(1.3);
    else if (event.key === '-') this.zoom(1 / 1.3);
    else if (event.key === '0') this.fit();
    else if ((event.key === 'Enter' || event.key === ' ') && chosen !== undefined)
      this.#props?.onOpen?.(chosen);
    else if (event.key === 'Escape') this.#props?.onChoose(undefined);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };

  /** To the nearest node in a direction; sideways distance counts double. */
  #walk([dx, dy]: readonly [number, number]): void {
    const layout = this.#layout;
    if (!layout || this.#widths.length === 0) return;
    const from = this.#props?.chosen;
    let best = from === undefined ? 0 : undefined;
    let least = Number.POSITIVE_INFINITY;
    if (from !== undefined)
      for (let i = 0; i < this.#widths.length; i += 1) {
        const x = (layout.places[2 * i] as number) - (layout.places[2 * from] as number);
        const y = (layout.places[2 * i + 1] as number) - (layout.places[2 * from + 1] as number);
        const ahead = x * dx + y * dy;
        if (i === from || ahead <= 1) continue;
        const distance = ahead + 2 * Math.abs(x * dy + y * dx);
        if (distance < least) [least, best] = [distance, i];
      }
    if (best === undefined) return;
    this.#props?.onChoose(best);
    this.#reveal(best, layout);
  }

  #reveal(i: number, { places }: Layout): void {
    const { clientWidth, clientHeight } = this.#canvas;
    const x = (places[2 * i] as number) * this.#view.scale + this.#view.x;
    const y = (places[2 * i + 1] as number) * this.#view.scale + this.#view.y;
    if (x >= 0 && x < clientWidth - 60 && y >= 0 && y < clientHeight - 30) return;
    this.#view.x += clientWidth / 2 - x;
    this.#view.y += clientHeight / 2 - y;
    this.#draw();
  }
}
