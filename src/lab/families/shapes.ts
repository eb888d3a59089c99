// Shapes of well-known scientific workflows and simple ones, drawn by hand: which stage feeds which, how wide, and
// roughly how long and how large. Figures vary by a factor that the seed decides.
import type { Random } from '../random.ts';
import type { Template, TemplateTask } from './template.ts';

const megabyte = 1e6;

/** Typical figures of a stage, with the spread of their logarithm. */
export interface StageFigures {
  readonly seconds: number;
  readonly megabytes: number;
  readonly spread: number;
}

class Drawing {
  readonly tasks: TemplateTask[] = [];
  readonly #random: Random;

  constructor(random: Random) {
    this.#random = random;
  }

  add(stage: string, figures: StageFigures, parents: readonly number[]): number {
    this.tasks.push({
      label: `${stage}-${this.tasks.length}`,
      stage,
      parents: [...new Set(parents)],
      sizeBytes: Math.max(
        1,
        Math.round(this.#random.logNormal(figures.megabytes * megabyte, figures.spread)),
      ),
      computeSeconds: this.#random.logNormal(figures.seconds, figures.spread),
    });
    return this.tasks.length - 1;
  }

  each(stage: string, figures: StageFigures, parents: readonly (readonly number[])[]): number[] {
    return parents.map((list) => this.add(stage, figures, list));
  }
}

/** Montage: reproject tiles, fit overlaps, one background model, correct every tile, add up, shrink. */
export function montage(random: Random, width: number): Template {
  const d = new Drawing(random);
  const roots = Array.from({ length: width }, () => []);
  const projected = d.each('project', { seconds: 120, megabytes: 80, spread: 0.3 }, roots);
  const pairs = projected.flatMap((tile, i) => [
    [tile, projected[(i + 1) % width]!],
    ...(i % 2 === 0 ? [[tile, projected[(i + 3) % width]!]] : []),
  ]);
  const fits = d.each('diff-fit', { seconds: 25, megabytes: 3, spread: 0.4 }, pairs);
  const concat = d.add('concat-fit', { seconds: 60, megabytes: 1, spread: 0.3 }, fits);
  const model = d.add('background-model', { seconds: 300, megabytes: 1, spread: 0.4 }, [concat]);
  const backgrounds = d.each(
    'background',
    { seconds: 40, megabytes: 80, spread: 0.3 },
    projected.map((tile) => [tile, model]),
  );
  const table = d.add('image-table', { seconds: 30, megabytes: 1, spread: 0.3 }, backgrounds);
  const sum = d.add('add', { seconds: 240, megabytes: 900, spread: 0.3 }, [table, ...backgrounds]);
  const small = d.add('shrink', { seconds: 60, megabytes: 40, spread: 0.3 }, [sum]);
  d.add('picture', { seconds: 20, megabytes: 5, spread: 0.3 }, [small]);
  return { name: 'montage', tasks: d.tasks };
}

/** Epigenomics: lanes are split, each part goes through filter, convert, map; parts merge per lane, then over lanes. */
export function epigenomics(random: Random, lanes: number, partsPerLane: number): Template {
  const d = new Drawing(random);
  const merged: number[] = [];
  for (let lane = 0; lane < lanes; lane += 1) {
    const split = d.add('split', { seconds: 90, megabytes: 900, spread: 0.3 }, []);
    const parts = Array.from({ length: partsPerLane }, () => [split]);
    const filtered = d.each('filter', { seconds: 80, megabytes: 90, spread: 0.4 }, parts);
    const sanger = d.each(
      'to-sanger',
      { seconds: 15, megabytes: 85, spread: 0.3 },
      filtered.map((t) => [t]),
    );
    const binary = d.each(
      'to-binary',
      { seconds: 12, megabytes: 30, spread: 0.3 },
      sanger.map((t) => [t]),
    );
    const mapped = d.each(
      'map',
      { seconds: 900, megabytes: 25, spread: 0.5 },
      binary.map((t) => [t]),
    );
    merged.push(d.add('merge-lane', { seconds: 60, megabytes: 150, spread: 0.3 }, mapped));
  }
  const all = d.add('merge-all', { seconds: 120, megabytes: 400, spread: 0.3 }, merged);
  const index = d.add('index', { seconds: 150, megabytes: 350, spread: 0.3 }, [all]);
  d.add('pileup', { seconds: 300, megabytes: 60, spread: 0.3 }, [index]);
  return { name: 'epigenomics', tasks: d.tasks };
}

/** CyberShake: few large strain tensors, very many short syntheses from each, peak values, two collections. */
export function cybershake(random: Random, tensors: number, synthesesPerTensor: number): Template {
  const d = new Drawing(random);
  const syntheses: number[] = [];
  const peaks: number[] = [];
  for (let i = 0; i < tensors; i += 1) {
    const tensor = d.add('extract-tensor', { seconds: 400, megabytes: 600, spread: 0.4 }, []);
    for (let k = 0; k < synthesesPerTensor; k += 1) {
      const wave = d.add('synthesis', { seconds: 80, megabytes: 12, spread: 0.6 }, [tensor]);
      syntheses.push(wave);
      peaks.push(d.add('peak', { seconds: 3, megabytes: 1, spread: 0.3 }, [wave]));
    }
  }
  d.add('zip-waves', { seconds: 120, megabytes: 300, spread: 0.3 }, syntheses);
  d.add('zip-peaks', { seconds: 30, megabytes: 10, spread: 0.3 }, peaks);
  return { name: 'cybershake', tasks: d.tasks };
}

/** One stage after another. */
export function chain(random: Random, length: number): Template {
  const d = new Drawing(random);
  let last: number[] = [];
  for (let i = 0; i < length; i += 1) {
    const figures = { seconds: random.logNormal(200, 0.8), megabytes: random.logNormal(300, 1), spread: 0.1 };
    last = [d.add(`stage-${i}`, figures, last)];
  }
  return { name: 'chain', tasks: d.tasks };
}

/** A chain of diamonds: one dataset fans out to `width`, which join again, `count` times. */
export function diamonds(random: Random, count: number, width: number): Template {
  const d = new Drawing(random);
  const figures = (): StageFigures => ({
    seconds: random.logNormal(200, 0.8),
    megabytes: random.logNormal(300, 1),
    spread: 0.2,
  });
  let top = d.add('start', figures(), []);
  for (let i = 0; i < count; i += 1) {
    const arms = Array.from({ length: width }, (_, arm) => d.add(`arm-${i}-${arm}`, figures(), [top]));
    top = d.add(`join-${i}`, figures(), arms);
  }
  d.add('end', figures(), [top]);
  return { name: 'diamonds', tasks: d.tasks };
}
