// The planner as a pure function: random graphs and random facts, and what must be true of every plan.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { DatasetState } from '../../src/core/machines/dataset.ts';
import {
  type DatasetFact,
  type Decision,
  isAvailable,
  type PlanFacts,
  type PlanNode,
  planReuse,
} from '../../src/core/reuse-planner.ts';

interface Case {
  readonly nodes: readonly PlanNode[];
  readonly targets: readonly number[];
  readonly known: ReadonlyMap<string, DatasetFact>;
}

const states: readonly DatasetState[] = [
  'TO_STORE',
  'TO_LEAF',
  'TO_DELETE',
  'STORED',
  'STORED_TO_DELETE',
  'LEAF',
  'PROCESSING',
  'DELETING',
  'DELETED',
];
const computing: readonly Decision['do'][] = ['compute', 'grow'];

const nodeShape = fc.record({
  parents: fc.array(fc.nat(), { maxLength: 3 }),
  /** Small numbers, so that some nodes are twins. */
  identity: fc.nat(30),
  rare: fc.nat(9),
  state: fc.option(fc.constantFrom(...states), { nil: undefined }),
  vanished: fc.nat(9),
});

/** A graph whose parents come before their children, and facts about some of its signatures. */
const anyCase: fc.Arbitrary<Case> = fc
  .tuple(
    fc.array(nodeShape, { minLength: 1, maxLength: 25 }),
    fc.array(fc.nat(), { minLength: 1, maxLength: 4 }),
  )
  .map(([shapes, wanted]) => {
    const known = new Map<string, DatasetFact>();
    const nodes: PlanNode[] = [];
    for (const [i, shape] of shapes.entries()) {
      const above = i === 0 ? [] : [...new Set(shape.parents.map((n) => n % i))];
      const signature = `${shape.identity}(${above.map((n) => nodes[n]?.signature).join(',')})`;
      nodes.push({
        key: `n${i}`,
        signature,
        definition: signature,
        parents: above.map((node) => ({ slot: `n${node}`, position: '', node, optional: false })),
        expands: false,
        forced: shape.rare === 0,
        managed: shape.rare !== 1,
        result: false,
      });
      if (shape.state !== undefined && !known.has(signature)) {
        known.set(signature, {
          id: known.size + 1,
          state: shape.state,
          definition: signature,
          removing: shape.state === 'DELETING',
          digest: 'd',
          deletedReason: null,
          vanished: shape.vanished === 0,
        });
      }
    }
    return { nodes, targets: [...new Set(wanted.map((n) => n % shapes.length))], known };
  });

function factsOf(known: ReadonlyMap<string, DatasetFact>): PlanFacts {
  return {
    bySignature: (signature) => known.get(signature),
    byId: (id) => [...known.values()].find((fact) => fact.id === id),
    growth: () => undefined,
  };
}

function plan({ nodes, targets, known }: Case): Decision[] {
  return planReuse(nodes, targets, factsOf(known));
}

function always(holds: (given: Case, decisions: readonly Decision[]) => void): void {
  fc.assert(
    fc.property(anyCase, (given) => holds(given, plan(given))),
    { numRuns: 1000 },
  );
}

test('what is computed has all its inputs: reused, joined or computed as well', () => {
  always(({ nodes }, decisions) => {
    for (const [i, decision] of decisions.entries()) {
      if (!computing.includes(decision.do)) continue;
      for (const { node } of nodes[i]?.parents ?? []) assert.notEqual(decisions[node]?.do, 'leave');
    }
  });
});

test('every target is settled, and nothing is touched that no target needs', () => {
  always(({ nodes, targets }, decisions) => {
    const needed = new Set(targets);
    for (let i = nodes.length - 1; i >= 0; i--) {
      const decision = decisions[i] as Decision;
      if (needed.has(i) && computing.includes(decision.do))
        for (const { node } of nodes[i]?.parents ?? []) needed.add(node);
    }
    decisions.forEach((decision, i) => {
      if (needed.has(i)) assert.notEqual(decision.do, 'leave');
      else assert.equal(decision.do, 'leave');
    });
  });
});

test('only what is there is reused, only what is being made is joined', () => {
  always((_, decisions) => {
    for (const decision of decisions) {
      if (decision.do === 'reuse') assert.ok(isAvailable(decision.dataset));
      if (decision.do === 'join') assert.ok(decision.dataset.state.startsWith('TO_'));
    }
  });
});

test('one plan computes a managed signature once, twins included (I5)', () => {
  always(({ nodes }, decisions) => {
    const computed = new Set<string>();
    decisions.forEach((decision, i) => {
      const node = nodes[i] as PlanNode;
      if (decision.do === 'twin') {
        assert.equal(nodes[decision.of]?.signature, node.signature);
        assert.equal(decisions[decision.of]?.do, 'compute');
      }
      if (decision.do !== 'compute' || !node.managed) return;
      assert.ok(!computed.has(node.signature), `${node.signature} is computed twice`);
      computed.add(node.signature);
    });
  });
});

test('forced and unmanaged nodes that are wanted are computed; their descendants never trust old bytes', () => {
  always(({ nodes, targets }, decisions) => {
    for (const i of targets) {
      const node = nodes[i] as PlanNode;
      if (node.forced || !node.managed) assert.ok(['compute', 'twin'].includes(decisions[i]?.do ?? ''));
    }
    const stale = new Set<number>();
    nodes.forEach((node, i) => {
      if (node.parents.some((link) => stale.has(link.node) || nodes[link.node]?.forced)) stale.add(i);
      if (stale.has(i))
        assert.ok(!['reuse', 'join'].includes(decisions[i]?.do ?? ''), `${node.key} is stale`);
    });
  });
});

test('the plan is the cheapest one: without force, no computed dataset was available', () => {
  always(({ nodes, known }, decisions) => {
    if (nodes.some((node) => node.forced)) return;
    decisions.forEach((decision, i) => {
      const node = nodes[i] as PlanNode;
      if (decision.do !== 'compute' || !node.managed) return;
      const fact = known.get(node.signature);
      assert.ok(!fact || !isAvailable(fact), `${node.key} is computed although it is stored`);
    });
  });
});

test('an empty store computes everything above the targets, and a full one reuses the targets alone', () => {
  fc.assert(
    fc.property(anyCase, (given) => {
      const plain = given.nodes.map((node) => ({ ...node, forced: false, managed: true }));
      const none = planReuse(plain, given.targets, factsOf(new Map()));
      assert.ok(none.every((decision) => ['compute', 'twin', 'leave'].includes(decision.do)));
      const stored = new Map(
        plain.map(({ signature }, id): [string, DatasetFact] => [
          signature,
          { id, state: 'STORED', definition: signature, removing: false, digest: 'd', deletedReason: null },
        ]),
      );
      const all = planReuse(plain, given.targets, factsOf(stored));
      all.forEach((decision, i) => {
        assert.equal(decision.do, given.targets.includes(i) ? 'reuse' : 'leave');
      });
    }),
    { numRuns: 500 },
  );
});

test('the same facts give the same plan, in whatever order the targets are named (I11)', () => {
  always((given, decisions) => {
    assert.deepEqual(plan(given), decisions);
    const kinds = (list: readonly Decision[]): string[] =>
      list.map((one) => (one.do === 'twin' ? 'compute' : one.do));
    assert.deepEqual(kinds(plan({ ...given, targets: [...given.targets].reverse() })), kinds(decisions));
  });
});

test('a different definition under the same signature is refused, never reused', () => {
  const node: PlanNode = {
    key: 'a',
    signature: 's',
    definition: 'one',
    parents: [],
    expands: false,
    forced: false,
    managed: true,
    result: true,
  };
  const fact: DatasetFact = {
    id: 1,
    state: 'STORED',
    definition: 'another',
    removing: false,
    digest: 'd',
    deletedReason: null,
  };
  assert.throws(() => planReuse([node], [0], factsOf(new Map([['s', fact]]))), /share the signature/);
});
