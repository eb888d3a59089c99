import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { VarveError } from '../../src/core/errors.ts';
import type { Json } from '../../src/core/json.ts';
import { Evaluator, type ExpressionContext } from '../../src/languages/cwl/expressions/evaluator.ts';
import { decimalText } from '../../src/languages/cwl/expressions/number-text.ts';
import { loadSandbox } from '../../src/languages/cwl/expressions/sandbox.ts';
import { endOfScript } from '../../src/languages/cwl/expressions/scan-script.ts';
import type { CwlVersion } from '../../src/languages/cwl/model/process.ts';

const context: ExpressionContext = {
  inputs: {
    text: 'hi',
    list: [1, 2, 3],
    file: { class: 'File', basename: 'a.txt' },
    "it's": { 'b az': true },
    nothing: null,
  },
  self: ['one'],
  runtime: { cores: 2 },
};
const plain = new Evaluator({ version: 'v1.2' }, undefined);

async function script(text: string, library = '', version: CwlVersion = 'v1.2'): Promise<Json> {
  return new Evaluator({ version, library }, await loadSandbox()).evaluate(text, context);
}

async function scriptError(text: string): Promise<VarveError> {
  return await script(text).then(
    () => assert.fail('it should have failed'),
    (error: VarveError) => error,
  );
}

test('parameter references need no JavaScript and keep the type of the value', () => {
  const cases: [string, Json][] = [
    ['$(inputs.text)', 'hi'],
    ['$(inputs.list)', [1, 2, 3]],
    ['$(inputs.list[1])', 2],
    ['$(inputs.list.length)', 3],
    ["$(inputs['it\\'s']['b az'])", true],
    ['$(inputs["file"].basename)', 'a.txt'],
    ['$(self[0])', 'one'],
    ['$(runtime.cores)', 2],
    ['$(null)', null],
    ['  $(runtime.cores)\n', 2],
    ['a $(inputs.text) b $(inputs.list)', 'a hi b [1, 2, 3]'],
    ['$(inputs.file)!', '{"basename": "a.txt", "class": "File"}!'],
    ['no reference', 'no reference'],
  ];
  for (const [text, wanted] of cases) assert.deepEqual(plain.evaluate(text, context), wanted, text);
});

test('a reference to what does not exist is an error that names it', () => {
  const cases: [string, RegExp][] = [
    ['$(inputs.other)', /inputs has no "other"/],
    ['$(inputs.nothing.more)', /inputs\.nothing is null/],
    ['$(inputs.list[9])', /has only 3 elements/],
    ['$(inputs.text.length)', /is a string/],
    ['$(outputs.a)', /outputs is not defined/],
    ['$(1 + 1)', /no parameter reference/],
    ['$(inputs.text', /never closed/],
  ];
  for (const [text, wanted] of cases) assert.throws(() => plain.evaluate(text, context), wanted, text);
});

test('backslashes follow the rules of the document version', async () => {
  assert.equal(plain.evaluate('\\$(not) \\\\ \\n $(inputs.text)', context), '$(not) \\ \\n hi');
  const old = new Evaluator({ version: 'v1.0' }, undefined);
  assert.equal(old.evaluate('\\$(not) \\\\ \\n $(inputs.text)', context), '$(not) \\ n hi');
  assert.equal(old.evaluate('\\n alone', context), '\\n alone');
});

test('JavaScript sees inputs, self and runtime, and the expression library', async () => {
  assert.equal(await script('$(inputs.list.length + runtime.cores)'), 5);
  assert.deepEqual(await script('${ var r = {}; r[self[0]] = inputs.text; return r; }'), { one: 'hi' });
  assert.equal(
    await script('$(twice(inputs.text))', 'function twice(s) { return s + s + inputs.list[0]; }'),
    'hihi1',
  );
  assert.equal(await script('$(inputs.other)'), null);
  assert.equal(await script('$(undefined)'), null);
  assert.equal(await script('a$(1 / 4)b'), 'a0.25b');
});

test('an expression can change what it got without any effect on the next one', async () => {
  assert.deepEqual(await script('${ inputs.list.push(4); return inputs.list; }'), [1, 2, 3, 4]);
  assert.deepEqual(await script('${ return inputs.list; }'), [1, 2, 3]);
});

test('expressions are strict and have no way out', async () => {
  assert.match((await scriptError('${ undeclared = 1; return 1; }')).message, /ReferenceError/);
  assert.equal(
    await script('$(typeof process + typeof require + typeof fetch + typeof globalThis.console)'),
    'undefined'.repeat(4),
  );
  assert.match(
    (
      await scriptError(
        '${ return (function f() { return f.constructor.constructor("return process")(); })(); }',
      )
    ).message,
    /process/,
  );
});

test('time, memory and stack are bounded, and the sandbox goes on afterwards', async () => {
  const memory = await scriptError('${ var a = []; for (;;) a.push(new Array(100000).join("x")); }');
  assert.equal(memory.code, 'CWL_EXPRESSION_LIMIT');
  assert.match((await scriptError('${ function r() { return r() + 1; } return r(); }')).message, /stack/);
  assert.equal(await script('$(1 + 1)'), 2);
});

test('an endless expression ends at its deadline', async () => {
  const sandbox = await loadSandbox();
  const before = sandbox.deadlineMs;
  Object.assign(sandbox, { deadlineMs: 50 });
  const error = await scriptError('${ for (;;) {} }');
  Object.assign(sandbox, { deadlineMs: before });
  assert.equal(error.code, 'CWL_EXPRESSION_LIMIT');
  assert.match(error.message, /time/);
});

test('errors of JavaScript say what failed and why', async () => {
  assert.match(
    (await scriptError('${ throw new Error("too bad"); }')).message,
    /throw new Error.*fails: Error: too bad/,
  );
  assert.match((await scriptError('${ return 1 +; }')).message, /SyntaxError/);
  assert.match((await scriptError('$(inputs.nothing.more)')).message, /inputs\.nothing is null/);
});

test('the end of a script is found behind strings, comments and regular expressions', () => {
  for (const text of [
    '(a)',
    '("\\")")',
    "(')')",
    '(/[)]/.test(x))',
    '(a /* ) */)',
    '{ // }\n}',
    '(`)`)',
    '(a / b / (c))',
    '{return /}/;}',
  ])
    assert.equal(endOfScript(text, 0), text.length, text);
  assert.equal(endOfScript('(a', 0), undefined);
  assert.equal(endOfScript('(a]', 0), undefined);
});

test('numbers are written as decimals and read back as the same number', () => {
  assert.equal(decimalText(0.00001), '0.00001');
  assert.equal(decimalText(1.23e-5), '0.0000123');
  assert.equal(decimalText(4.2e42), `42${'0'.repeat(41)}`);
  fc.assert(
    fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (number) => {
      const text = decimalText(number);
      assert.doesNotMatch(text, /e/);
      assert.equal(Number(text), number === 0 ? 0 : number);
    }),
  );
});

test('ten thousand expressions with different inputs give ten thousand right answers', async () => {
  const evaluator = new Evaluator({ version: 'v1.2', library: '' }, await loadSandbox());
  for (let i = 0; i < 10_000; i += 1)
    assert.equal(evaluator.evaluate('$(inputs.n * 2 + 1)', { inputs: { n: i } }), i * 2 + 1);
});
