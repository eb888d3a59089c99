// Writes down once a minute how much space datasets take, for the picture of use over time.
import { measureSpace } from '../engine/measure-space.ts';
import type { Varve } from '../varve.ts';

const everyMs = 60_000;

export function sampleSpace(
  varve: Varve,
  onProblem: (error: unknown, doing: string) => void,
): { stop(): void } {
  const sample = async (): Promise<void> => {
    const { store, decisions, engine } = varve;
    const unlimited = { budget: { fraction: 1 }, highWatermark: 1, lowWatermark: 1 } as const;
    const space = await measureSpace(engine.context, decisions.budget ?? unlimited);
    const { usedBytes, resultBytes } = space;
    const budgetBytes = decisions.budget ? space.budgetBytes : null;
    const at = Date.now();
    await store.write((tx) => tx.putSpaceSample({ at, usedBytes, resultBytes, budgetBytes }), {
      durable: false,
    });
  };
  const tick = (): void => {
    sample().catch((error) => onProblem(error, 'measure the space in use'));
  };
  const timer = setInterval(tick, everyMs).unref();
  tick();
  return { stop: () => clearInterval(timer) };
}
