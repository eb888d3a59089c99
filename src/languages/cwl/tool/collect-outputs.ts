// The output object of a finished command: from cwl.output.json if the command wrote one, else by the output bindings. Files are
// found and described here; hashing and moving them is left to `publishOutputs`.
import { readFileSync, statSync } from 'node:fs';
import { posix } from 'node:path';
import { isList, isObject, type Json, type JsonObject } from '../../../core/json.ts';
import { cwlErrors } from '../error-codes.ts';
import type { Evaluator } from '../expressions/evaluator.ts';
import { resolveUrl, urlOfPath } from '../load/uri.ts';
import {
  acceptsNull,
  alternatives,
  type CwlType,
  type FileTraits,
  type OutputBinding,
} from '../model/cwl-type.ts';
import type { CommandLineTool } from '../model/process.ts';
import type { Requirements } from '../model/requirement.ts';
import { checkOutput } from '../values/check-value.ts';
import { type CwlFile, type CwlPath, isFile, isPath, mapAllPaths, mapPaths } from '../values/file-object.ts';
import { defaultListing, withLoads } from '../values/prepare-job.ts';
import { withSecondaryFiles } from '../values/secondary-files.ts';
import { globIn } from './glob.ts';
import type { OutputFolder } from './output-folder.ts';

export interface CollectRules {
  readonly evaluator: Evaluator;
  readonly requirements: Requirements;
  readonly context: { readonly inputs: JsonObject; readonly runtime: JsonObject };
  readonly folder: OutputFolder;
  readonly exitCode: number;
}

interface OutputItem extends FileTraits {
  readonly name: string;
  readonly type: CwlType;
  readonly outputBinding?: OutputBinding;
}

/** The checked output object; files have absolute locations on this machine. */
export function collectOutputs(tool: CommandLineTool, rules: CollectRules): JsonObject {
  const written = readOutputJson(rules.folder);
  const outputs: Record<string, Json> = {};
  const collector = new Collector(tool, rules);
  for (const output of tool.outputs) {
    const value = written === undefined ? collector.collect(output) : (written[output.name] ?? null);
    const misfit = checkOutput(value, output.type);
    if (misfit !== undefined)
      throw cwlErrors.CWL_OUTPUT(output.name + misfit.path, `must be ${misfit.wanted}, not ${misfit.found}`);
    outputs[output.name] = value;
  }
  return outputs;
}

function readOutputJson(folder: OutputFolder): JsonObject | undefined {
  const path = posix.join(folder.host, 'cwl.output.json');
  if (statSync(path, { throwIfNoEntry: false }) === undefined) return undefined;
  let parsed: Json;
  try {
    parsed = JSON.parse(readFileSync(path, 'utf8')) as Json;
  } catch (error) {
    throw cwlErrors.CWL_OUTPUT.with(
      { cause: error },
      'cwl.output.json',
      `it is no JSON: ${(error as Error).message}`,
    );
  }
  if (!isObject(parsed)) throw cwlErrors.CWL_OUTPUT('cwl.output.json', 'it must hold an object');
  return mapAllPaths(parsed, (path) => {
    if (path.path === undefined && path.location === undefined) return path;
    const found =
      path.path ?? folder.visiblePath(resolveUrl(path.location!, `${urlOfPath(folder.visible)}/`));
    return { ...folder.describe(found, path.class), ...withoutPlace(path) } as CwlPath;
  }) as JsonObject;
}

function withoutPlace(path: CwlPath): Partial<CwlPath> {
  const { path: _path, location: _location, ...rest } = path;
  return rest as Partial<CwlPath>;
}

class Collector {
  private readonly tool: CommandLineTool;
  private readonly rules: CollectRules;
  private readonly context: { inputs: JsonObject; runtime: JsonObject };

  constructor(tool: CommandLineTool, rules: CollectRules) {
    this.tool = tool;
    this.rules = rules;
    this.context = {
      inputs: rules.context.inputs,
      runtime: { ...rules.context.runtime, exitCode: rules.exitCode },
    };
  }

  collect(output: OutputItem): Json {
    const binding = output.outputBinding;
    const value = binding === undefined ? this.collectRecord(output) : this.collectBound(output, binding);
    return this.withTraits(output, value);
  }

  private collectRecord(output: OutputItem): Json {
    const record = alternatives(output.type).find((one) => typeof one === 'object' && one.type === 'record');
    if (typeof record !== 'object' || record.type !== 'record') return null;
    return Object.fromEntries(record.fields.map((field) => [field.name, this.collect(field)]));
  }

  private collectBound(output: OutputItem, binding: OutputBinding): Json {
    const found = binding.glob === undefined ? null : this.globbed(binding);
    if (binding.outputEval !== undefined) {
      const value = this.rules.evaluator.evaluate(binding.outputEval, { ...this.context, self: found });
      const single = isPathType(output.type) && isList(value) && value.length === 1 && isPath(value[0]);
      return this.located(single ? value[0]! : value);
    }
    if (found === null) return null;
    // Files that were found are described; what a directory lists is not.
    const described = found.map((path) => (isFile(path) ? path : this.located(path)));
    if (!isPathType(output.type)) return described;
    if (found.length > 1)
      throw cwlErrors.CWL_OUTPUT(output.name, `${found.length} files match, but only one is expected`);
    if (found.length === 0 && !acceptsNull(output.type))
      throw cwlErrors.CWL_OUTPUT(output.name, `no file matches ${binding.glob!.join(', ')}`);
    return described[0] ?? null;
  }

  private globbed(binding: OutputBinding): CwlPath[] {
    const { evaluator, folder } = this.rules;
    const patterns = binding.glob!.flatMap((glob) => {
      const value = evaluator.evaluate(glob, this.context);
      return value === null ? [] : isList(value) ? [...value] : [value];
    });
    const paths = patterns.flatMap((pattern) => {
      if (isPath(pattern) && pattern.path !== undefined)
        return globIn(folder.host, folder.relative(pattern.path));
      if (typeof pattern !== 'string')
        throw cwlErrors.CWL_OUTPUT('glob', `${JSON.stringify(pattern)} is no pattern`);
      return globIn(folder.host, folder.relative(pattern));
    });
    const listing = defaultListing(this.tool, this.rules.requirements);
    return [...new Set(paths)].map((path) =>
      withLoads(
        folder.describe(posix.join(folder.visible, path)),
        binding,
        listing,
        this.tool.cwlVersion !== 'v1.2',
      ),
    );
  }

  /** Files that an expression returned or a directory lists: by `path` or `location`, or as literals. */
  private located(value: Json): Json {
    const { folder } = this.rules;
    return mapAllPaths(value, (path) => {
      if (path.path === undefined && path.location === undefined) return path;
      const at = path.path ?? folder.visiblePath(path.location!);
      return { ...folder.describe(at, path.class), ...withoutPlace(path) } as CwlPath;
    });
  }

  private withTraits(output: OutputItem, value: Json): Json {
    const { secondaryFiles, format } = output;
    if (secondaryFiles === undefined && format === undefined) return value;
    return mapPaths(value, (path) => {
      if (!isFile(path)) return path;
      const whole = secondaryFiles === undefined ? path : this.withCompanions(path, secondaryFiles);
      const named =
        format === undefined
          ? undefined
          : this.rules.evaluator.evaluate(format[0]!, { ...this.context, self: path });
      return typeof named === 'string' ? { ...whole, format: named } : whole;
    });
  }

  private withCompanions(file: CwlFile, patterns: NonNullable<FileTraits['secondaryFiles']>): CwlFile {
    const complete = withSecondaryFiles(file, patterns, {
      evaluator: this.rules.evaluator,
      context: this.context,
      requiredByDefault: false,
      discover: true,
    });
    return this.located(complete) as CwlFile;
  }
}

/** True when the type wants one File or Directory, not a list of them. */
function isPathType(type: CwlType): boolean {
  const choices = alternatives(type).filter((one) => one !== 'null');
  if (choices.some((one) => typeof one === 'object' && one.type === 'array')) return false;
  return choices.some((one) => one === 'File' || one === 'Directory');
}
