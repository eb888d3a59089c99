// Reads workflow instances in WfCommons' WfFormat (versions 1.5 and 1.6): the graph, run times and output sizes of a real
// execution become a template that the resubmission model edits.
import { LineCounter, parseDocument } from 'yaml';
import type { SourcePlace, VarveError } from '../core/errors.ts';
import { isList, isObject, type Json, type JsonObject } from '../core/json.ts';
import { labErrors } from './error-codes.ts';
import type { Template, TemplateTask } from './families/template.ts';

type Path = readonly (string | number)[];

const versions = ['1.5', '1.6'];

/** The template of an instance; throws with file, line and column of the first thing that is wrong. */
export function readWfFormat(text: string, file: string): Template {
  let document: Json;
  try {
    document = JSON.parse(text);
  } catch (error) {
    throw labErrors.LAB_BAD_INSTANCE.with({ place: syntaxPlace(text, file) }, (error as Error).message);
  }
  const reader = new Reader(text, file);
  const root = reader.object(document, []);
  if (!versions.includes(String(root.schemaVersion))) {
    throw reader.wrong(['schemaVersion'], `must be one of ${versions.join(', ')}`);
  }
  const workflow = reader.object(root.workflow, ['workflow']);
  const specification = reader.object(workflow.specification, ['workflow', 'specification']);
  const sizes = fileSizes(reader, specification);
  const executed = executions(reader, workflow);
  const path = ['workflow', 'specification', 'tasks'];
  const raw = reader.list(specification.tasks, path).map((task, i) => {
    const at = [...path, i];
    const fields = reader.object(task, at);
    const id = reader.text(fields.id, [...at, 'id']);
    const outputs =
      fields.outputFiles === undefined ? [] : reader.list(fields.outputFiles, [...at, 'outputFiles']);
    const bytes = outputs.reduce<number>((sum, output, k) => {
      const size = sizes.get(String(output));
      if (size === undefined)
        throw reader.wrong([...at, 'outputFiles', k], `names no file: ${JSON.stringify(output)}`);
      return sum + size;
    }, 0);
    return {
      id,
      stage: stageOf(fields.name, id, executed.get(id)?.program),
      parents: reader.list(fields.parents, [...at, 'parents']).map(String),
      at,
      sizeBytes: Math.max(1, bytes),
      computeSeconds: executed.get(id)?.seconds ?? 0,
    };
  });
  return { name: typeof root.name === 'string' ? root.name : file, tasks: ordered(reader, raw) };
}

interface RawTask {
  readonly id: string;
  readonly stage: string;
  readonly parents: readonly string[];
  readonly at: Path;
  readonly sizeBytes: number;
  readonly computeSeconds: number;
}

/** Parents before children; unknown parents and cycles are refused. */
function ordered(reader: Reader, tasks: readonly RawTask[]): TemplateTask[] {
  const byId = new Map(tasks.map((task) => [task.id, task]));
  const placed = new Map<string, number>();
  const result: TemplateTask[] = [];
  const open = new Set<string>();
  const place = (task: RawTask): number => {
    const known = placed.get(task.id);
    if (known !== undefined) return known;
    if (open.has(task.id)) throw reader.wrong(task.at, `task "${task.id}" depends on itself`);
    open.add(task.id);
    const parents = task.parents.map((id, i) => {
      const parent = byId.get(id);
      if (!parent) throw reader.wrong([...task.at, 'parents', i], `names no task: "${id}"`);
      return place(parent);
    });
    const { id, stage, sizeBytes, computeSeconds } = task;
    const at = result.push({ label: id, stage, parents, sizeBytes, computeSeconds }) - 1;
    placed.set(id, at);
    return at;
  };
  for (const task of tasks) place(task);
  return result;
}

function fileSizes(reader: Reader, specification: JsonObject): Map<string, number> {
  const path = ['workflow', 'specification', 'files'];
  if (specification.files === undefined) return new Map();
  return new Map(
    reader.list(specification.files, path).map((entry, i) => {
      const fields = reader.object(entry, [...path, i]);
      const size = reader.amount(fields.sizeInBytes, [...path, i, 'sizeInBytes']);
      return [reader.text(fields.id, [...path, i, 'id']), size];
    }),
  );
}

interface Execution {
  readonly seconds: number;
  readonly program: string | undefined;
}

function executions(reader: Reader, workflow: JsonObject): Map<string, Execution> {
  const path = ['workflow', 'execution', 'tasks'];
  const execution = reader.object(workflow.execution, ['workflow', 'execution']);
  return new Map(
    reader.list(execution.tasks, path).map((entry, i) => {
      const fields = reader.object(entry, [...path, i]);
      const seconds = reader.amount(fields.runtimeInSeconds, [...path, i, 'runtimeInSeconds']);
      const program = isObject(fields.command) ? fields.command.program : undefined;
      const id = reader.text(fields.id, [...path, i, 'id']);
      return [id, { seconds, program: typeof program === 'string' ? program : undefined }];
    }),
  );
}

/** Which program a task runs: some systems name it, others repeat the id in the name and tell the program apart. */
function stageOf(name: Json | undefined, id: string, program: string | undefined): string {
  if (typeof name === 'string' && name !== id) return name;
  return program ?? id.replace(/[_-]?(ID)?\d+$/, '');
}

/** Takes values out of the document and says where it was when one is not what it should be. */
class Reader {
  readonly #text: string;
  readonly #file: string;

  constructor(text: string, file: string) {
    this.#text = text;
    this.#file = file;
  }

  object(value: Json | undefined, path: Path): JsonObject {
    if (!isObject(value)) throw this.wrong(path, 'must be an object');
    return value;
  }

  list(value: Json | undefined, path: Path): readonly Json[] {
    if (!isList(value)) throw this.wrong(path, 'must be a list');
    return value;
  }

  text(value: Json | undefined, path: Path): string {
    if (typeof value !== 'string') throw this.wrong(path, 'must be a string');
    return value;
  }

  amount(value: Json | undefined, path: Path): number {
    if (typeof value !== 'number' || value < 0) throw this.wrong(path, 'must be a number of at least 0');
    return value;
  }

  /** The place is looked up only now: parsing with positions is slow. */
  wrong(path: Path, what: string): VarveError {
    const counter = new LineCounter();
    const document = parseDocument(this.#text, { lineCounter: counter });
    let offset = 0;
    for (let length = path.length; length >= 0; length -= 1) {
      const node = document.getIn(path.slice(0, length), true) as
        | { range?: [number, number, number] }
        | undefined;
      if (!node?.range) continue;
      offset = node.range[0];
      break;
    }
    const { line, col } = counter.linePos(offset);
    const place = { file: this.#file, line, column: col };
    return labErrors.LAB_BAD_INSTANCE.with({ place }, `${path.join('.') || 'the document'} ${what}`);
  }
}

function syntaxPlace(text: string, file: string): SourcePlace {
  const counter = new LineCounter();
  const [error] = parseDocument(text, { lineCounter: counter, strict: true }).errors;
  const { line, col } = counter.linePos(error?.pos[0] ?? 0);
  return { file, line: Math.max(1, line), column: Math.max(1, col) };
}
