// When each action was ready, ran and ended: one row per action, in the order in which they began. Drawn, so that any number fits.
import { useEffect, useRef } from 'preact/hooks';
import { now } from '../base/clock.ts';
import { durationText } from '../base/format.ts';
import { endedAction, type Tone } from '../base/states.ts';
import { colour, paint } from '../base/theme.ts';
import type { GraphModel } from '../graph/graph-model.ts';
import { EmptyState } from '../parts/empty-state.tsx';
import type { RunViewProps } from './run-graph.tsx';

const rowHeight = 26;
const headHeight = 28;

interface Bar {
  readonly i: number;
  readonly ready: number | null;
  readonly from: number;
  readonly to: number | null;
}

export function RunTimeline({
  model,
  version,
  chosen,
  onChoose,
  ended,
}: RunViewProps & { readonly ended: boolean }) {
  const scroller = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const bars = barsOf(model);
  const live = bars.some((bar) => bar.to === null);
  const tick = live ? now.value : 0;
  const colours = paint.value;
  const chosenAt = chosen === undefined ? undefined : model.indexOf(chosen);
  useEffect(() => {
    const [box, board] = [scroller.current, canvas.current];
    if (!box || !board) return;
    let frame = 0;
    const draw = (): void => {
      cancelAnimationFrame(frame);
      frame = requestAnimationFrame(() => drawBars(board, box, model, bars, chosenAt));
    };
    const observer = new ResizeObserver(draw);
    observer.observe(box);
    box.addEventListener('scroll', draw, { passive: true });
    draw();
    return () => {
      cancelAnimationFrame(frame);
      observer.disconnect();
      box.removeEventListener('scroll', draw);
    };
  }, [model, version, tick, colours, chosenAt]);
  if (bars.length === 0)
    return (
      <EmptyState title={ended ? 'Nothing had to run' : 'Nothing has run yet'}>
        <p>
          {ended ? '' : 'Actions appear here when they begin. '}What is reused takes no time and is not shown.
        </p>
      </EmptyState>
    );
  const rowAt = (event: MouseEvent): Bar | undefined => {
    const box = scroller.current;
    if (!box) return undefined;
    const y = event.clientY - box.getBoundingClientRect().top - headHeight + box.scrollTop;
    return bars[Math.floor(y / rowHeight)];
  };
  return (
    <div
      class="timeline"
      ref={scroller}
      tabIndex={0}
      role="group"
      aria-label={`Time line of ${bars.length} actions; the tab Actions shows the same as a table`}
    >
      <canvas
        ref={canvas}
        onClick={(event) => {
          const bar = rowAt(event);
          if (bar) onChoose(model.ids[bar.i]);
        }}
      />
      <div style={{ height: `${bars.length * rowHeight + headHeight}px` }} />
    </div>
  );
}

function barsOf(model: GraphModel): Bar[] {
  const bars: Bar[] = [];
  model.times.forEach(([ready, started, ended], i) => {
    if (started === null) return;
    bars.push({
      i,
      ready,
      from: started,
      to: endedAction(model.states[i] ?? '') ? (ended ?? started) : null,
    });
  });
  return bars.sort((a, b) => a.from - b.from);
}

function drawBars(
  board: HTMLCanvasElement,
  box: HTMLElement,
  model: GraphModel,
  bars: readonly Bar[],
  chosen: number | undefined,
): void {
  const ratio = devicePixelRatio || 1;
  const [width, height] = [box.clientWidth, box.clientHeight];
  board.width = Math.round(width * ratio);
  board.height = Math.round(height * ratio);
  board.style.width = `${width}px`;
  board.style.height = `${height}px`;
  const c = board.getContext('2d') as CanvasRenderingContext2D;
  c.scale(ratio, ratio);
  const names = Math.min(240, Math.max(96, width * 0.28));
  const start = Math.min(...bars.map((bar) => bar.ready ?? bar.from));
  const end = Math.max(...bars.map((bar) => bar.to ?? Date.now()), start + 1);
  const x = (at: number): number => names + ((at - start) / (end - start)) * (width - names - 70);
  const ink = colour('ink');
  const quiet = colour('ink-2');
  const line = colour('line');
  c.font = '12px system-ui, sans-serif';
  c.textBaseline = 'middle';
  drawScale(c, { start, end, x, width, height, quiet, line });
  const first = Math.floor(box.scrollTop / rowHeight);
  const last = Math.min(bars.length, Math.ceil((box.scrollTop + height) / rowHeight));
  c.save();
  c.beginPath();
  c.rect(0, headHeight, width, height);
  c.clip();
  for (let row = first; row < last; row += 1) {
    const bar = bars[row] as Bar;
    const y = headHeight + row * rowHeight - box.scrollTop;
    if (bar.i === chosen) {
      c.fillStyle = colour('accent-soft');
      c.fillRect(0, y, width, rowHeight);
    }
    c.fillStyle = ink;
    c.fillText(shortened(c, model.keys[bar.i] ?? '', names - 24), 12, y + rowHeight / 2);
    if (bar.ready !== null && bar.ready < bar.from) {
      c.fillStyle = colour('line-strong');
      c.fillRect(x(bar.ready), y + rowHeight / 2 - 1, x(bar.from) - x(bar.ready), 2);
    }
    const to = bar.to ?? Date.now();
    c.fillStyle = colour(toneVariable(model.toneOf(bar.i)));
    c.beginPath();
    c.roundRect(x(bar.from), y + 6, Math.max(3, x(to) - x(bar.from)), rowHeight - 12, 3);
    c.fill();
    c.fillStyle = quiet;
    c.fillText(durationText(to - bar.from), x(to) + 8, y + rowHeight / 2);
  }
  c.restore();
}

interface Scale {
  readonly start: number;
  readonly end: number;
  readonly x: (at: number) => number;
  readonly width: number;
  readonly height: number;
  readonly quiet: string;
  readonly line: string;
}

function drawScale(c: CanvasRenderingContext2D, { start, end, x, width, height, quiet, line }: Scale): void {
  const step = niceStep((end - start) / Math.max(2, width / 160));
  for (let at = 0; at <= end - start; at += step) {
    c.fillStyle = line;
    c.fillRect(Math.round(x(start + at)), headHeight - 4, 1, height);
    c.fillStyle = quiet;
    c.fillText(at === 0 ? '0' : durationText(at), x(start + at) + 4, headHeight / 2);
  }
}

const steps = [
  1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 20_000, 30_000, 60_000, 120_000, 300_000,
  600_000, 1_800_000, 3_600_000, 7_200_000, 21_600_000, 86_400_000,
];

function niceStep(ms: number): number {
  return steps.find((step) => step >= ms) ?? Math.ceil(ms / 86_400_000) * 86_400_000;
}

function toneVariable(tone: Tone): string {
  return tone === 'ready' || tone === 'skip' ? 'wait' : tone === 'keep' ? 'ok' : tone;
}

function shortened(c: CanvasRenderingContext2D, text: string, width: number): string {
  if (c.measureText(text).width <= width) return text;
  let keep = text.length;
  while (keep > 1 && c.measureText(`${text.slice(0, keep)}…`).width > width) keep -= 1;
  return `${text.slice(0, keep)}…`;
}
