import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  type KeepRule,
  leafQuota,
  matchesPattern,
  ruledEffect,
  ruleText,
} from '../../src/core/eviction/keep-rules.ts';

const rule = (part: Partial<KeepRule>): KeepRule => ({
  id: 1,
  effect: 'keep',
  name: null,
  userName: null,
  atLeastBytes: null,
  atMostBytes: null,
  quotaBytes: null,
  createdBy: 'ann',
  createdAt: 0,
  ...part,
});
const dataset = { name: 'align-7', userName: 'bob', sizeBytes: 500 };

test('a star in a pattern stands for any text', () => {
  for (const pattern of ['align-7', 'align*', '*7', '*', 'a*n*7', '**'])
    assert.ok(matchesPattern(pattern, 'align-7'), pattern);
  for (const pattern of ['align', 'b*', '*8', 'a*7*7', ''])
    assert.ok(!matchesPattern(pattern, 'align-7'), pattern);
  assert.ok(!matchesPattern('aa*aa', 'aaa'), 'what stands before and after the star does not overlap');
});

test('a pattern that was made from a text by leaving parts out fits it', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.string(), fc.boolean())), (parts) => {
      const text = parts.map(([part]) => part.replaceAll('*', '')).join('');
      const pattern = parts.map(([part, kept]) => (kept ? part.replaceAll('*', '') : '*')).join('');
      assert.ok(matchesPattern(pattern, text));
    }),
  );
});

test('a rule matches when all that it names does; to keep wins', () => {
  const rules = [
    rule({ id: 1, effect: 'never-keep', atLeastBytes: 100 }),
    rule({ id: 2, name: 'align*', userName: 'bob', atMostBytes: 500 }),
  ];
  assert.equal(ruledEffect(rules, dataset)?.rule.id, 2);
  assert.equal(ruledEffect(rules, { ...dataset, userName: 'eve' })?.rule.id, 1);
  assert.equal(ruledEffect(rules, { ...dataset, userName: 'eve', sizeBytes: 99 }), undefined);
});

test("a user's own quota wins over one for all; of several the smallest holds", () => {
  const rules = [
    rule({ effect: 'leaf-quota', quotaBytes: 10 }),
    rule({ effect: 'leaf-quota', userName: 'bob', quotaBytes: 30 }),
    rule({ effect: 'leaf-quota', userName: 'bob', quotaBytes: 20 }),
  ];
  assert.equal(leafQuota(rules, 'bob'), 20);
  assert.equal(leafQuota(rules, 'ann'), 10);
  assert.equal(leafQuota([], 'ann'), undefined);
});

test('rules read as sentences', () => {
  const bytes = (count: number) => `${count} B`;
  assert.equal(
    ruleText(rule({ effect: 'never-keep', name: 'tmp*', userName: 'bob', atLeastBytes: 5 }), bytes),
    'never keep datasets of tmp* of user bob of at least 5 B',
  );
  assert.equal(
    ruleText(rule({ effect: 'leaf-quota', quotaBytes: 9 }), bytes),
    'results of each user take at most 9 B',
  );
});
