// Draws the progress of a run as lines of text: a pure function of the facts and the width.
import { formatDuration, formatPercent } from '../../core/units.ts';
import { endedCount, type ProgressCounts, type ProgressState } from './progress-state.ts';
import type { Style } from './style.ts';
import { cutText, textWidth } from './wrap-text.ts';

export interface RenderOptions {
  readonly columns: number;
  /** At most so many lines; actions are left out first. */
  readonly rows: number;
  readonly style: Style;
  /** False for terminals that know only ASCII. */
  readonly unicode: boolean;
}

interface Glyphs {
  readonly full: string;
  readonly empty: string;
  readonly dot: string;
  readonly arrow: string;
  readonly more: string;
}

const unicodeGlyphs: Glyphs = { full: '━', empty: '─', dot: ' · ', arrow: '▸', more: '…' };
const asciiGlyphs: Glyphs = { full: '#', empty: '-', dot: ', ', arrow: '>', more: '...' };

const widestBar = 40;
const narrowestBar = 8;
const mostActions = 8;

type Paint = 'green' | 'cyan' | 'blue' | 'yellow' | 'red' | 'dim';

/** The counts in the order of display; those that are always shown, and those only when they are not zero. */
const countLabels: readonly { key: keyof ProgressCounts; paint: Paint; always: boolean }[] = [
  { key: 'computed', paint: 'green', always: true },
  { key: 'reused', paint: 'cyan', always: true },
  { key: 'joined', paint: 'blue', always: false },
  { key: 'skipped', paint: 'yellow', always: false },
  { key: 'failed', paint: 'red', always: false },
  { key: 'running', paint: 'dim', always: false },
];

/** The display as lines, none wider than `columns`. */
export function renderProgress(state: ProgressState, options: RenderOptions): string[] {
  const glyphs = options.unicode ? unicodeGlyphs : asciiGlyphs;
  const head = [headLine(state, options, glyphs), ...countLines(state, options, glyphs)];
  return [...head, ...actionLines(state, options, glyphs, options.rows - head.length)].slice(
    0,
    Math.max(1, options.rows),
  );
}

function headLine(state: ProgressState, { columns, style }: RenderOptions, glyphs: Glyphs): string {
  const ended = endedCount(state.counts);
  const share = state.total === 0 ? 0 : ended / state.total;
  const figures = `${formatPercent(share)}  ${number(ended)}/${number(state.total)}  ${formatDuration(state.now - state.startedAt)}`;
  const gap = '  ';
  const room = columns - textWidth(figures) - gap.length;
  const title = cutText(state.title, Math.max(0, Math.min(30, room - narrowestBar - gap.length)));
  const barWidth = Math.min(widestBar, room - (title === '' ? 0 : textWidth(title) + gap.length));
  const parts = [
    ...(textWidth(title) > 1 ? [style.bold(title)] : []),
    ...(barWidth >= narrowestBar ? [bar(state, barWidth, style, glyphs)] : []),
  ];
  return [...parts, room < 0 ? cutText(figures, columns) : figures].join(gap);
}

/** A bar whose parts show how actions ended; every kind that occurred keeps at least one cell. */
function bar({ counts, total }: ProgressState, width: number, style: Style, glyphs: Glyphs): string {
  const kinds = countLabels.filter(({ key }) => key !== 'running' && counts[key] > 0);
  let cellsLeft = width;
  let actionsLeft = Math.max(total, endedCount(counts));
  let drawn = '';
  for (const { key, paint } of kinds) {
    const cells = Math.min(cellsLeft, Math.max(1, Math.floor((counts[key] / actionsLeft) * cellsLeft)));
    drawn += style[paint](glyphs.full.repeat(cells));
    cellsLeft -= cells;
    actionsLeft -= counts[key];
    if (actionsLeft <= 0) break;
  }
  return `${drawn}${style.dim(glyphs.empty.repeat(cellsLeft))}`;
}

function countLines(state: ProgressState, { columns, style }: RenderOptions, glyphs: Glyphs): string[] {
  const items = countLabels
    .filter(({ key, always }) => always || state.counts[key] > 0)
    .map(({ key, paint }) => style[paint](`${number(state.counts[key])} ${key}`));
  if (state.savedMs > 0) items.push(style.bold(`saved ${formatDuration(state.savedMs)}`));
  const lines: string[] = [];
  let line = '';
  for (const item of items) {
    const longer = line === '' ? `  ${item}` : `${line}${glyphs.dot}${item}`;
    if (line !== '' && textWidth(longer) > columns) {
      lines.push(line);
      line = `  ${item}`;
    } else line = longer;
  }
  return [...lines, line].map((text) => (textWidth(text) > columns ? cutText(text, columns) : text));
}

function actionLines(state: ProgressState, options: RenderOptions, glyphs: Glyphs, room: number): string[] {
  const { columns, style } = options;
  const hidden = (shown: number): number => Math.max(state.counts.running, state.running.length) - shown;
  let shown = Math.max(0, Math.min(state.running.length, mostActions, room));
  if (hidden(shown) > 0 && shown === room && shown > 0) shown -= 1;
  const lines = state.running.slice(0, shown).map(({ name, startedAt }) => {
    const time = formatDuration(state.now - startedAt);
    const nameRoom = columns - time.length - 6;
    if (nameRoom < 4) return cutText(`  ${name}`, columns);
    const label = cutText(name, Math.min(nameRoom, 50));
    const space = ' '.repeat(Math.max(0, Math.min(nameRoom, 30) - textWidth(label)));
    return `  ${style.yellow(glyphs.arrow)} ${label}${space}  ${style.dim(time)}`;
  });
  if (hidden(shown) > 0 && room > shown) {
    lines.push(style.dim(cutText(`  ${glyphs.more} and ${number(hidden(shown))} more`, columns)));
  }
  return lines;
}

/** The state in one line, for logs and pipes. */
export function progressLine(state: ProgressState): string {
  const { counts, total, savedMs } = state;
  const ended = endedCount(counts);
  const parts = countLabels
    .filter(({ key, always }) => always || counts[key] > 0)
    .map(({ key }) => `${counts[key]} ${key}`);
  const saved = savedMs > 0 ? `, saved ${formatDuration(savedMs)}` : '';
  const elapsed = formatDuration(state.now - state.startedAt);
  return `${cutText(state.title, 60)}: ${ended}/${total} after ${elapsed}: ${parts.join(', ')}${saved}`;
}

function number(value: number): string {
  return value.toLocaleString('en-US');
}
