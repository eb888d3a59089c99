// The CWL front end in one process: documents and input objects become workflows, the nodes of CWL runs are executed, and the output
// object of a finished run is read back. The front end itself is loaded when first needed.
import { hash } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from '../config/config-keys.ts';
import type { Environment } from '../config/environment.ts';
import type { Json, JsonObject } from '../core/json.ts';
import type { ActionType, InputDataset } from '../core/ports/action-type.ts';
import type { DatasetStorage } from '../core/ports/storage.ts';
import type { Store } from '../core/ports/store.ts';
import type { FindTool } from '../core/ports/tool-call.ts';
import type { DatasetRow } from '../core/rows.ts';
import type { WorkflowDefinition } from '../core/workflow.ts';
import { engineErrors } from '../engine/error-codes.ts';
import { nodeTypes } from '../languages/cwl/engine/spec.ts';
import type {
  ContainerChoice,
  CwlActionOptions,
  FetchFile,
  FetchText,
  JobDocument,
  LoadedDocument,
  SentDocument,
} from '../languages/cwl/index.ts';
import { cwlContainers } from './cwl-containers.ts';
import { rememberedDigests } from './input-files.ts';

export interface CwlOptions {
  /** Compute every step, whatever is known. */
  readonly noReuse?: boolean | undefined;
}

export interface CwlLanguage {
  readonly actionTypes: readonly ActionType[];
  /** The workflow of a loaded document with its inputs, ready to be submitted. */
  workflow(document: LoadedDocument, job: JobDocument, options?: CwlOptions): Promise<WorkflowDefinition>;
  /** The same from text, for those who did not come with files; `allowUrl` guards every address, also those of redirects. */
  sentWorkflow(sent: SentDocument, options?: CwlOptions & AddressGuard): Promise<WorkflowDefinition>;
  /** Reports every problem of a sent document, whatever its inputs will be. */
  checkSent(sent: SentDocument, guard?: AddressGuard): Promise<void>;
  /** Finds tools for actions of other languages that call them. */
  readonly findTool: FindTool;
  /** The output object of a run that succeeded, with files at their place in the storage, or where `pathOf` says that datasets are. */
  outputs(runId: number, pathOf?: (dataset: DatasetRow) => string): Promise<JsonObject>;
}

/** What a document that comes from somebody else may ask for. */
export interface AddressGuard {
  /** The reason why an address may not be asked, or undefined when it may. */
  readonly allowUrl?: ((url: URL) => string | undefined) | undefined;
}

export interface CwlParts {
  readonly config: Config;
  readonly environment: Environment;
  readonly store: Store;
  readonly storage: DatasetStorage;
}

/** Up to here reading a file costs no more than looking up what is remembered about it. */
const smallBytes = 256 * 1024;

/** Reads what documents name by http(s): kept in a folder, and asked for again only when it changed. */
export function cwlFetching(
  config: Pick<Config, 'storage'>,
  { allowUrl }: AddressGuard = {},
): { fetchText: FetchText; fetchFile: FetchFile; keptText: FetchText } {
  const open = async () => {
    const { UrlInputs } = await import('../storage/local/url-inputs.ts');
    return new UrlInputs({ folder: join(config.storage.root, 'urls'), allow: allowUrl });
  };
  const fetchFile: FetchFile = async (url) => (await (await open()).get(url)).path;
  return {
    fetchFile,
    fetchText: async (url) => readFile(await fetchFile(url), 'utf8'),
    // Nobody is asked about what is there already.
    keptText: async (url) => readFile((await open()).kept(url)?.path ?? (await fetchFile(url)), 'utf8'),
  };
}

export function createCwlLanguage({ config, environment, store, storage }: CwlParts): CwlLanguage {
  const containers = cwlContainers(config.execution.container, environment);
  const digestFiles = rememberedDigests(store);
  const fetching = cwlFetching(config);
  const options: CwlActionOptions = {
    path: environment.variables.PATH,
    fetchText: fetching.keptText,
    async digest(path) {
      const { size } = await stat(path);
      if (size <= smallBytes) return hash('sha256', await readFile(path), 'hex');
      return (await digestFiles([path])).get(path)?.sha256;
    },
    container: containers,
  };
  const lower = async (
    document: LoadedDocument,
    job: JobDocument,
    { fetchText, fetchFile }: { fetchText: FetchText; fetchFile: FetchFile },
    { noReuse }: CwlOptions,
  ): Promise<WorkflowDefinition> => {
    const { lowerCwlWorkflow, mentionsContainers } = await import('../languages/cwl/index.ts');
    const wanted = mentionsContainers(document.process, job.requirements);
    const container = wanted ? await containers() : undefined;
    return lowerCwlWorkflow(document.process, job.job, {
      fetchText,
      fetchFile,
      requirements: job.requirements,
      placeOfInput: job.placeOfInput,
      container: container && { engine: container.engine },
      digest: options.digest,
      noReuse,
    });
  };
  return {
    actionTypes: lazyActionTypes(options),
    workflow: (document, job, lowering = {}) => lower(document, job, fetching, lowering),
    findTool: toolFinder({ ...fetching, digest: options.digest, container: containers }),
    async sentWorkflow(sent, { allowUrl, ...lowering } = {}) {
      const { loadSentDocument } = await import('../languages/cwl/index.ts');
      const guarded = cwlFetching(config, { allowUrl });
      const { document, job } = await loadSentDocument(sent, guarded.fetchText);
      return lower(document, job, guarded, lowering);
    },
    async checkSent(sent, guard) {
      const { loadSentDocument } = await import('../languages/cwl/index.ts');
      await loadSentDocument(sent, cwlFetching(config, guard).fetchText);
    },
    outputs: (runId, pathOf = (row) => (row.location === null ? '' : storage.path(row.location))) =>
      readOutputs(store, runId, pathOf),
  };
}

export interface ToolFinding {
  readonly fetchText?: FetchText | undefined;
  readonly fetchFile?: FetchFile | undefined;
  readonly digest?: CwlActionOptions['digest'];
  /** Looks for the engine that would run containers; asked only for tools that want one. */
  readonly container: () => Promise<Pick<ContainerChoice, 'engine'> | undefined>;
}

/** Finds tools by path or address. */
export function toolFinder({ container, ...options }: ToolFinding): FindTool {
  return async (name) => {
    const { callableTool, loadDocument, mentionsContainers, urlOfArgument } = await import(
      '../languages/cwl/index.ts'
    );
    const { process } = await loadDocument(urlOfArgument(name, '/'), { fetchText: options.fetchText });
    const engine = mentionsContainers(process, []) ? (await container())?.engine : undefined;
    return callableTool(process, { ...options, ...(engine === undefined ? {} : { container: { engine } }) });
  };
}

/** The action types by name; their code is loaded with the first action. */
function lazyActionTypes(options: CwlActionOptions): ActionType[] {
  let loading: Promise<Map<string, ActionType>> | undefined;
  const load = async (): Promise<Map<string, ActionType>> => {
    const { cwlActionTypes } = await import('../languages/cwl/index.ts');
    return new Map(cwlActionTypes(options).map((type) => [type.name, type]));
  };
  return Object.values(nodeTypes).map((name): ActionType => {
    const own = async (): Promise<ActionType> => (await (loading ??= load())).get(name) as ActionType;
    const type = {
      name,
      prepare: async (context) => (await own()).prepare(context),
      collect: async (context) => (await own()).collect(context),
      abandon: async (node, key) => (await own()).abandon?.(node, key),
    } satisfies ActionType;
    return name === nodeTypes.step
      ? { ...type, expand: async (node, inputs) => (await own()).expand!(node, inputs) }
      : {
          ...type,
          physicalIdentity: async (node, inputs) => (await own()).physicalIdentity!(node, inputs),
        };
  });
}

async function readOutputs(
  { view }: Store,
  runId: number,
  pathOf: (dataset: DatasetRow) => string,
): Promise<JsonObject> {
  const { outputsKey, runOutputs } = await import('../languages/cwl/index.ts');
  const edges = await view.edgesOf('run', [runId]);
  const result = edges.find((edge) => edge.slot === outputsKey) ?? edges[0];
  const [own] = result?.datasetId == null ? [] : await view.datasets([result.datasetId]);
  if (own?.value == null) throw engineErrors.RUN_NOT_FOUND(runId);
  const lineage = await view.parentsOf([own.id]);
  const parents = new Map(
    (await view.datasets([...new Set(lineage.map((one) => one.parentId))])).map((row) => [row.id, row]),
  );
  const asInput = (row: DatasetRow, slot: string, position: string): InputDataset => ({
    slot,
    position,
    path: pathOf(row),
    digest: row.digest ?? '',
    value: row.value === null ? null : (JSON.parse(row.value) as Json),
  });
  const inputs = lineage.map((one) =>
    asInput(parents.get(one.parentId) as DatasetRow, one.slot, one.position),
  );
  return runOutputs(JSON.parse(own.value) as Json, asInput(own, '', ''), inputs);
}
