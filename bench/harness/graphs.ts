// The graphs that are measured: small actions in four shapes.
import type { Graph, Shape, Task } from './engine.ts';

/** About as many rows as they are wide, and at most twenty: GNU make looks at every path, and does not come to an end in deeper ones. */
const widthOf = (count: number): number => Math.max(Math.round(Math.sqrt(count)), Math.ceil(count / 20));

const parentsOf: Readonly<Record<Shape, (id: number, count: number) => readonly number[]>> = {
  fan: () => [],
  chain: (id) => (id === 1 ? [] : [id - 1]),
  // Each action after two of the row above.
  layers: (id, count) => {
    const width = widthOf(count);
    if (id <= width) return [];
    const row = id - 1 - ((id - 1) % width);
    return [id - width, row - width + (id % width) + 1].toSorted((a, b) => a - b);
  },
  // One, then all but two side by side, then one.
  diamond: (id, count) => {
    if (id === 1) return [];
    return id < count ? [1] : Array.from({ length: count - 2 }, (_, i) => i + 2);
  },
};

/** A graph of `count` tasks with ids from 1, parents before children. */
export function makeGraph(shape: Shape, count: number): Graph {
  const tasks = Array.from({ length: count }, (_, i): Task => {
    return { id: i + 1, parents: parentsOf[shape](i + 1, count) };
  });
  return { shape, tasks };
}

/** The tasks that nobody reads. */
export function leavesOf({ tasks }: Graph): number[] {
  const read = new Set(tasks.flatMap(({ parents }) => parents));
  return tasks.filter(({ id }) => !read.has(id)).map(({ id }) => id);
}
