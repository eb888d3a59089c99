// Lines and bars over time. The library is loaded when the first chart is shown.
import { useEffect, useRef } from 'preact/hooks';
import type uPlot from 'uplot';
import { timeText } from '../base/format.ts';
import { colour, paint } from '../base/theme.ts';

export interface Series {
  readonly label: string;
  readonly values: readonly (number | null)[];
  /** A colour of the style sheet. */
  readonly colour: string;
  readonly kind?: 'line' | 'area' | 'dashed' | 'bars';
}

interface ChartProps {
  readonly label: string;
  /** Seconds since 1970, ascending; or any numbers with `plain`. */
  readonly at: readonly number[];
  readonly series: readonly Series[];
  readonly format: (value: number) => string;
  readonly formatAt?: (value: number) => string;
  readonly height?: number;
}

export function Chart(props: ChartProps) {
  const { label, at, series, height = 220 } = props;
  const box = useRef<HTMLDivElement>(null);
  const colours = paint.value;
  useEffect(() => {
    let plot: uPlot | undefined;
    let gone = false;
    const observer = new ResizeObserver(() => {
      if (box.current) plot?.setSize({ width: box.current.clientWidth, height });
    });
    void import('uplot').then(({ default: UPlot }) => {
      if (gone || !box.current) return;
      const data = [at, ...series.map(({ values }) => values)] as unknown as uPlot.AlignedData;
      plot = new UPlot(optionsOf(props, UPlot, box.current.clientWidth, height), data, box.current);
      observer.observe(box.current);
    });
    return () => {
      gone = true;
      observer.disconnect();
      plot?.destroy();
    };
  }, [at, series, height, colours]);
  return <div class="chart" ref={box} role="img" aria-label={label} style={{ minHeight: `${height}px` }} />;
}

function optionsOf(
  { series, format, formatAt }: ChartProps,
  UPlot: typeof uPlot,
  width: number,
  height: number,
): uPlot.Options {
  const font = '12px system-ui, sans-serif';
  const axis = {
    stroke: colour('ink-2'),
    font,
    grid: { stroke: colour('line'), width: 1 },
    ticks: { stroke: colour('line'), width: 1 },
  };
  return {
    width,
    height,
    // Room for half of the last mark of the time axis.
    padding: [8, 32, 0, 0],
    cursor: { y: false },
    legend: { live: true },
    scales: formatAt ? { x: { time: false } } : {},
    axes: [
      { ...axis, space: 90, values: (_, splits) => (formatAt ? splits.map(formatAt) : timeLabels(splits)) },
      { ...axis, size: 70, values: (_, splits) => splits.map(format) },
    ],
    series: [
      formatAt
        ? { label: 'at', value: (_, value) => (value === null ? '–' : formatAt(value)) }
        : { label: 'at', value: (_, value) => (value === null ? '–' : timeText(value * 1000)) },
      ...series.map(
        ({ label, colour: name, kind = 'line' }): uPlot.Series => ({
          label,
          stroke: colour(name),
          width: kind === 'bars' ? 0 : 2,
          value: (_, value) => (value === null || value === undefined ? '–' : format(value)),
          points: { show: false },
          ...(kind === 'area' || kind === 'bars'
            ? { fill: kind === 'bars' ? colour(name) : colour(`${name}-soft`) }
            : {}),
          ...(kind === 'dashed' ? { dash: [6, 5] } : {}),
          ...(kind === 'bars'
            ? { paths: UPlot.paths.bars?.({ size: [0.8, 40], radius: 0.1 }) as uPlot.Series.PathBuilder }
            : {}),
        }),
      ),
    ],
  };
}

const day = 24 * 3600;

/** Marks of the time axis: days where it spans days, hours and minutes where it does not. */
function timeLabels(seconds: readonly number[]): string[] {
  const step = (seconds[1] ?? 0) - (seconds[0] ?? 0);
  return seconds.map((at, i) => {
    const date = new Date(at * 1000);
    const before = new Date((seconds[i - 1] ?? 0) * 1000);
    const newDay = date.toDateString() !== before.toDateString();
    const dayText = date.toLocaleDateString('en-GB', { day: 'numeric', month: 'short' });
    if (step >= day) return dayText;
    const time = date.toLocaleTimeString('en-GB', step < 60 ? {} : { hour: '2-digit', minute: '2-digit' });
    return newDay ? `${time}\n${dayText}` : time;
  });
}
