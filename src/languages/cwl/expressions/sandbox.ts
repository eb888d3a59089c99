// JavaScript expressions run in QuickJS, compiled to WebAssembly: no access to the host, bounded memory (a capped WebAssembly
// memory, as QuickJS' own limit does not bind), bounded stack and a deadline. A function is compiled once per context and called
// with JSON in and out. Contexts are separate per trust domain and expression library, because code may change globals.
import type {
  CustomizeVariantOptions,
  QuickJSContext,
  QuickJSHandle,
  QuickJSRuntime,
  QuickJSSyncVariant,
  QuickJSWASMModule,
} from 'quickjs-emscripten-core';
import { cwlErrors } from '../error-codes.ts';
import { excerpt } from './template.ts';

const pageBytes = 65_536;
const maxMemoryBytes = 128 * 1024 * 1024;
/** Larger stacks overflow the host's before QuickJS notices. */
const maxStackBytes = 256 * 1024;
const maxContexts = 16;
const maxFunctions = 2_000;
const defaultDeadlineMs = 20_000;

export interface ScriptVariables {
  /** JSON texts. */
  readonly inputs: string;
  readonly self: string;
  readonly runtime: string;
}

interface Compiled {
  readonly handle: QuickJSHandle;
  readonly uses: { readonly inputs: boolean; readonly self: boolean; readonly runtime: boolean };
}

interface Context {
  readonly vm: QuickJSContext;
  readonly call: QuickJSHandle;
  readonly functions: Map<string, Compiled>;
  readonly library: string;
}

type WasmMemory = NonNullable<CustomizeVariantOptions['wasmMemory']>;
const { Memory } = (
  globalThis as unknown as {
    WebAssembly: { Memory: new (limits: { initial: number; maximum: number }) => WasmMemory };
  }
).WebAssembly;

let loading: Promise<Sandbox> | undefined;

/** The sandbox of this process; loaded when first needed, and again after it was damaged. */
export function loadSandbox(): Promise<Sandbox> {
  loading ??= startSandbox().catch((error: unknown) => {
    loading = undefined;
    throw error;
  });
  return loading;
}

async function startSandbox(): Promise<Sandbox> {
  const [core, variantModule] = await Promise.all([
    import('quickjs-emscripten-core'),
    import('@jitl/quickjs-wasmfile-release-sync'),
  ]);
  // The package declares its default export in CommonJS style; at run time it is the variant itself.
  const variant = variantModule.default as unknown as QuickJSSyncVariant;
  const wasmMemory = new Memory({ initial: 256, maximum: maxMemoryBytes / pageBytes });
  const module = await core.newQuickJSWASMModuleFromVariant(core.newVariant(variant, { wasmMemory }));
  return new Sandbox(module);
}

export class Sandbox {
  private readonly runtime: QuickJSRuntime;
  private readonly contexts = new Map<string, Context>();
  private deadline = Number.POSITIVE_INFINITY;
  readonly deadlineMs: number;

  constructor(module: QuickJSWASMModule, deadlineMs = defaultDeadlineMs) {
    this.deadlineMs = deadlineMs;
    this.runtime = module.newRuntime();
    this.runtime.setMaxStackSize(maxStackBytes);
    this.runtime.setInterruptHandler(() => Date.now() > this.deadline);
  }

  /** Runs a script with the given variables and returns its value as JSON text. */
  run(
    script: { readonly code: string; readonly isBody: boolean; readonly source: string },
    variables: ScriptVariables,
    library: string,
    trust: string,
  ): string {
    const key = `${trust}\n${library}`;
    this.deadline = Date.now() + this.deadlineMs;
    try {
      const context = this.context(key, library);
      return this.call(context, key, this.compile(context, key, script), variables, script.source);
    } catch (error) {
      if (error instanceof Error && 'kind' in error) throw error;
      // The module itself gave up: its memory cannot be trusted any more.
      loading = undefined;
      throw cwlErrors.CWL_EXPRESSION_LIMIT.with(
        { cause: error },
        excerpt(script.source),
        'its memory or stack',
      );
    }
  }

  /** Why a script cannot even be read, or undefined when it can. */
  syntaxProblem(script: {
    readonly code: string;
    readonly isBody: boolean;
    readonly source: string;
  }): string | undefined {
    this.deadline = Date.now() + this.deadlineMs;
    const context = this.context('syntax\n', '');
    try {
      this.compile(context, 'syntax\n', script);
      return undefined;
    } catch (error) {
      return (error as Error).message;
    }
  }

  private context(key: string, library: string): Context {
    const known = this.contexts.get(key);
    if (known !== undefined && known.functions.size < maxFunctions) return known;
    this.drop(key);
    if (this.contexts.size >= maxContexts) this.drop(this.contexts.keys().next().value!);
    const vm = this.runtime.newContext();
    const call = vm.unwrapResult(vm.evalCode(callerCode));
    const context: Context = { vm, call, functions: new Map(), library };
    this.contexts.set(key, context);
    if (library !== '') {
      const loaded = vm.evalCode(library, 'expressionLib.js', { strict: false });
      if (loaded.error) this.fail(context, key, loaded.error, 'of expressionLib');
      else loaded.value.dispose();
    }
    return context;
  }

  private compile(
    context: Context,
    key: string,
    script: { readonly code: string; readonly isBody: boolean; readonly source: string },
  ): Compiled {
    const known = context.functions.get(script.source);
    if (known !== undefined) return known;
    const body = script.isBody ? script.code : `return (${script.code}\n);`;
    const result = context.vm.evalCode(`(function () { "use strict"; ${body}\n})`, 'expression.js');
    if (result.error) this.fail(context, key, result.error, script.source);
    const text = `${script.code}\n${context.library}`;
    const uses = {
      inputs: text.includes('inputs'),
      self: text.includes('self'),
      runtime: text.includes('runtime'),
    };
    const compiled: Compiled = { handle: (result as { value: QuickJSHandle }).value, uses };
    context.functions.set(script.source, compiled);
    return compiled;
  }

  private call(
    context: Context,
    key: string,
    compiled: Compiled,
    variables: ScriptVariables,
    source: string,
  ): string {
    const { vm } = context;
    const { uses } = compiled;
    const args = (['inputs', 'self', 'runtime'] as const).map((name) =>
      uses[name] ? vm.newString(variables[name]) : vm.undefined,
    );
    const result = vm.callFunction(context.call, vm.undefined, compiled.handle, ...args);
    for (const handle of args) if (handle !== vm.undefined) handle.dispose();
    if (result.error) this.fail(context, key, result.error, source);
    const { value } = result as { value: QuickJSHandle };
    const text = vm.typeof(value) === 'string' ? vm.getString(value) : 'null';
    value.dispose();
    return text;
  }

  private fail(context: Context, key: string, error: QuickJSHandle, source: string): never {
    const dumped: unknown = context.vm.dump(error);
    error.dispose();
    const { name = '', message = String(dumped) } = (dumped ?? {}) as { name?: string; message?: string };
    const late = Date.now() > this.deadline;
    if (name === 'InternalError') this.drop(key);
    if (late && name === 'InternalError')
      throw cwlErrors.CWL_EXPRESSION_LIMIT(excerpt(source), `its time of ${this.deadlineMs / 1000} s`);
    if (name === 'InternalError' && /memory/.test(message))
      throw cwlErrors.CWL_EXPRESSION_LIMIT(excerpt(source), 'its memory');
    const reason = name === '' ? message : `${name}: ${message}`;
    throw cwlErrors.CWL_EXPRESSION(excerpt(source), reason);
  }

  private drop(key: string): void {
    const context = this.contexts.get(key);
    if (context === undefined) return;
    this.contexts.delete(key);
    for (const { handle } of context.functions.values()) handle.dispose();
    context.call.dispose();
    context.vm.dispose();
  }
}

/** Sets the variables afresh for each call: an expression may change what it got. Taken before any library can replace JSON. */
const callerCode = `(function () {
  var parse = JSON.parse, stringify = JSON.stringify, root = globalThis;
  return function (expression, inputs, self, runtime) {
    if (inputs !== undefined) root.inputs = parse(inputs);
    if (self !== undefined) root.self = parse(self);
    if (runtime !== undefined) root.runtime = parse(runtime);
    return stringify(expression());
  };
})()`;
