// I11: the same submission gives the same plan on SQLite and on PostgreSQL, whatever is stored there.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Decision } from '../../src/core/reuse-planner.ts';
import type { NodeDefinition } from '../../src/core/workflow.ts';
import { openTestStore, Story } from './story.ts';
import { type Grow, task } from './task-language.ts';

interface Shape {
  readonly op: number;
  readonly parents: readonly number[];
  readonly result: boolean;
  readonly never: boolean;
  readonly unmanaged: boolean;
  readonly grow: number;
}

const shape = fc.record<Shape>({
  op: fc.nat(2),
  parents: fc.uniqueArray(fc.nat(5), { maxLength: 2 }),
  result: fc.boolean(),
  never: fc.nat(5).map((n) => n === 0),
  unmanaged: fc.nat(8).map((n) => n === 0),
  grow: fc.nat(8),
});

const growths: Record<number, Grow> = { 0: { list: 2 }, 1: { when: true }, 2: { when: false } };

function nodesOf(shapes: readonly Shape[], forced: number): NodeDefinition[] {
  return shapes.map((one, i) => {
    const grow = growths[one.grow];
    return task(`n${i}`, {
      op: `op${one.op}`,
      parents: one.parents
        .filter((parent) => parent < i)
        .map((parent, p) => ({ slot: `in${p}`, key: `n${parent}`, optional: true })),
      forced: i === forced,
      result: one.result || i === shapes.length - 1,
      keep: one.never ? 'never' : 'auto',
      ...(grow ? { grow } : one.unmanaged ? { outputPath: `/home/me/${i}` } : {}),
    });
  });
}

function told(decisions: readonly Decision[]): unknown {
  return decisions.map((decision) => [
    decision.do,
    'reason' in decision ? decision.reason : null,
    'dataset' in decision ? decision.dataset.id : null,
    decision.do === 'compute' ? decision.row.kind : null,
  ]);
}

test('the same submissions give the same plans on SQLite and on PostgreSQL (I11)', async (t) => {
  const sqlite = await openTestStore(t, 'SQLite');
  const postgres = await openTestStore(t, 'PostgreSQL');
  if ('skip' in postgres) return t.skip(postgres.skip);
  if ('skip' in sqlite) return t.skip(sqlite.skip);
  const stories = [new Story(sqlite, {}), new Story(postgres, {})];
  try {
    for (const story of stories) await story.manage();
    let realm = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.array(shape, { minLength: 1, maxLength: 6 }), fc.nat(12)), {
          minLength: 2,
          maxLength: 4,
        }),
        async (workflows) => {
          realm += 1;
          const plans = await Promise.all(
            stories.map(async (story) => {
              const seen: unknown[] = [];
              for (const [shapes, forced] of workflows) {
                story.workAlone();
                const run = await story.submit(nodesOf(shapes, forced), { realm: `realm ${realm}` });
                seen.push(told(run.decisions));
                await story.ended(run.runId);
                await story.engine.datasetManager.sweep();
                seen.push(Object.entries(await story.states(run.runId)).sort());
              }
              return seen;
            }),
          );
          assert.deepEqual(anonymous(plans[1]), anonymous(plans[0]));
        },
      ),
      { numRuns: 6, seed: 7 },
    );
  } finally {
    for (const story of stories) await story.close();
  }
});

/** Ids differ where retries or timing took more of them; what counts is who is the same as whom. */
function anonymous(plan: unknown): unknown {
  const names = new Map<number, number>();
  return JSON.parse(
    JSON.stringify(plan, (_, value: unknown) => {
      if (typeof value !== 'number') return value;
      if (!names.has(value)) names.set(value, names.size);
      return names.get(value);
    }),
  );
}
