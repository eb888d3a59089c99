// A CWL tool as actions of other languages call it: the node is made by the same code as that of a step, so it is the same dataset.
import type { Json, JsonObject } from '../../../core/json.ts';
import type { CallableTool, CallInput } from '../../../core/ports/tool-call.ts';
import { cwlErrors } from '../error-codes.ts';
import { shortName, urlOfPath } from '../load/uri.ts';
import type { CwlType } from '../model/cwl-type.ts';
import type { Process } from '../model/process.ts';
import { withDigests } from './content-identity.ts';
import { completeRoot, type LowerOptions, loweringContext, overrideScope } from './lower-run.ts';
import { lowerTool } from './lower-tool.ts';
import type { NodeOutput, Sym } from './symbol.ts';

/** The tool that a process is; throws for a process that is not one invocation. */
export function callableTool(process: Process, options: LowerOptions): CallableTool {
  if (process.class !== 'CommandLineTool' && process.class !== 'ExpressionTool')
    throw cwlErrors.CWL_CALL_PROCESS(shortName(process.id), process.class);
  const types = new Map(process.inputs.map(({ name, type }) => [name, type]));
  return {
    inputs: [...types.keys()],
    outputs: new Map(process.outputs.map(({ name, type }) => [name, { list: includesKind(type, 'array') }])),
    async lower(key, inputs) {
      const symbols: Record<string, Sym> = {};
      const job: Record<string, Json> = {};
      for (const [name, input] of Object.entries(inputs)) {
        if (!types.has(name)) throw cwlErrors.CWL_CALL_INPUT(shortName(process.id), name);
        if ('node' in input) symbols[name] = { out: outputOf(input, types.get(name)!) };
        else job[name] = jobValue(input);
      }
      // What other nodes give is checked when it is there.
      const known = { ...process, inputs: process.inputs.filter(({ name }) => symbols[name] === undefined) };
      const { root, prepared } = await completeRoot(known, job, options);
      const context = loweringContext(options);
      const literals = (await withDigests(prepared, context.digest)) as JsonObject;
      for (const [name, lit] of Object.entries(literals)) symbols[name] = { lit };
      const completed = new Map(root.inputs.map((input) => [input.name, input]));
      const own = process.inputs.map((input) => completed.get(input.name) ?? input);
      const tool = { ...root, inputs: own } as typeof process;
      await lowerTool(context, tool, symbols, key, overrideScope(options));
      const { key: _key, name: _name, result: _result, ...node } = context.nodes[0]!;
      return node;
    },
  };
}

function outputOf({ node, output, called }: Extract<CallInput, { node: string }>, type: CwlType): NodeOutput {
  if (called) return { node, output };
  return { node, output, paths: includesKind(type, 'File') ? 'File' : 'Directory' };
}

function jobValue(input: Exclude<CallInput, { node: string }>): Json {
  if ('value' in input) return input.value;
  if ('list' in input) return input.list.map((one) => jobValue(one as Exclude<CallInput, { node: string }>));
  const [kind, { path, name }] =
    'file' in input ? (['File', input.file] as const) : (['Directory', input.directory] as const);
  return { class: kind, location: urlOfPath(path), basename: name };
}

function includesKind(type: CwlType, kind: 'array' | 'File'): boolean {
  if (typeof type === 'string') return type === kind;
  if (type.type === 'union') return type.of.some((one) => includesKind(one, kind));
  if (type.type !== 'array') return false;
  return kind === 'array' || includesKind(type.items, kind);
}
