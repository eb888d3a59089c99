// Fills a home folder with a small site as it looks after some days of use, through the real engine: runs in every state, a scatter of 200,
// reuse, a failure, a cancelled run, and a storage budget that had to decide. `node scripts/demo-site.ts HOME [--serve]` leaves a server
// running on it with work under way.
import { mkdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { Writable } from 'node:stream';
import { VarveClient } from '../src/api/client/client.ts';
import { loadConfig } from '../src/config/load-config.ts';
import { serve } from '../src/server/serve.ts';
import { openVarve } from '../src/varve.ts';

export interface DemoSite {
  readonly url: string;
  readonly client: VarveClient;
  close(): Promise<void>;
}

type Action = Readonly<Record<string, unknown>>;

const samples = ['NA12878', 'NA12891', 'NA12892', 'HG00096', 'HG00097', 'HG00099'];

function shell(id: string, command: string, more: object = {}): Action {
  return { id, command, ...more };
}

/** A picture of bars, in the PNG format. */
const png =
  'iVBORw0KGgoAAAANSUhEUgAAAKAAAABQAQMAAACkk+x3AAAABlBMVEX49/QLX3NXzKH6AAAAO0lEQVR42mNgGLJA/gchQRiH+oLyP2gsCOMMnCCIS4YgjEMbQZgUpYIICwZKEBUORkFMoVHBUUEaCwIAOJBIRw+JimYAAAAASUVORK5CYII=';

function variantCalling(quality: number): Action {
  const perSample = samples.flatMap((sample) => [
    shell(
      `trim-${sample}`,
      `sleep 0.2; echo "trimming reads of ${sample}"; yes "${sample} ACGTACGTAC" | head -c 1500000 > "$VARVE_OUTPUT/reads.fq"`,
    ),
    shell(
      `align-${sample}`,
      `sleep 0.4; for i in 1 2 3; do echo "aligned $i of 3 chunks"; done; tr A-Z N-ZA-M < "$VARVE_INPUT_TRIM/reads.fq" > "$VARVE_OUTPUT/aligned.bam"`,
      {
        inputs: { trim: { from: `trim-${sample}` }, reference: { from: 'reference' } },
      },
    ),
    shell(
      `call-${sample}`,
      `sleep 0.2; head -c 200000 "$VARVE_INPUT_BAM/aligned.bam" > "$VARVE_OUTPUT/variants.vcf"; echo "quality ${quality}" >&2`,
      {
        inputs: { bam: { from: `align-${sample}` } },
      },
    ),
  ]);
  return {
    name: 'variant-calling',
    description: 'From reads to one report over all samples.',
    actions: [
      shell('reference', 'sleep 0.3; yes GATTACA | head -c 2000000 > "$VARVE_OUTPUT/genome.fa"'),
      ...perSample,
      shell(
        'merge',
        'cat "$VARVE_INPUT_VCF1"/*.vcf "$VARVE_INPUT_VCF2"/*.vcf > "$VARVE_OUTPUT/all.vcf"; wc -c "$VARVE_OUTPUT/all.vcf"',
        {
          inputs: Object.fromEntries(samples.map((sample, i) => [`vcf${i + 1}`, { from: `call-${sample}` }])),
        },
      ),
      shell(
        'report',
        `printf '# Report\\n\\nSamples: ${samples.length}\\nQuality: ${quality}\\n' > "$VARVE_OUTPUT/report.txt"; printf '${png}' | base64 -d > "$VARVE_OUTPUT/coverage.png"`,
        {
          inputs: { merge: { from: 'merge' } },
        },
      ),
    ],
  };
}

function scatter(count: number, seconds: number): Action {
  return {
    name: 'tile-map',
    actions: [
      shell('split', `for i in $(seq -w 1 ${count}); do echo "tile $i" > "$VARVE_OUTPUT/tile-$i.txt"; done`, {
        outputs: { tiles: 'tile-*.txt' },
      }),
      shell('render', `sleep ${seconds}; sha256sum < "$VARVE_INPUT_TILE" > "$VARVE_OUTPUT/tile.txt"`, {
        inputs: { tiles: { from: 'split', output: 'tiles' } },
        scatter: { over: 'tiles', as: 'tile' },
        outputs: { tile: 'tile.txt' },
      }),
      shell('mosaic', 'cat "$VARVE_INPUT_TILES"/* > "$VARVE_OUTPUT/mosaic.txt"', {
        inputs: { tiles: { from: 'render', output: 'tile' } },
      }),
    ],
  };
}

const assembly: Action = {
  name: 'assembly',
  failurePolicy: 'finish-what-is-possible',
  actions: [
    shell('fetch', 'sleep 0.2; yes contig | head -c 400000 > "$VARVE_OUTPUT/reads.txt"'),
    shell('assemble', 'echo "building the graph"; sleep 0.3; echo "out of memory at k=55" >&2; exit 137', {
      parentActions: ['fetch'],
      retries: { count: 1, delay: 0.1 },
    }),
    shell('quality', 'wc -c "$VARVE_INPUT_FETCH/reads.txt"', {
      parentActions: ['fetch'],
      stdout: 'quality.txt',
    }),
    shell('annotate', 'cat "$VARVE_INPUT_ASSEMBLE"/*', { parentActions: ['assemble'] }),
  ],
};

function nightly(day: number): Action {
  return {
    name: 'nightly-statistics',
    actions: [
      shell('export', `sleep 0.2; yes "day ${day}" | head -c 3000000 > "$VARVE_OUTPUT/rows.csv"`),
      shell(
        'clean',
        'sleep 0.3; head -c 2500000 "$VARVE_INPUT_EXPORT/rows.csv" > "$VARVE_OUTPUT/clean.csv"',
        { parentActions: ['export'] },
      ),
      shell('summary', 'wc "$VARVE_INPUT_CLEAN/clean.csv"', {
        parentActions: ['clean'],
        stdout: 'summary.txt',
      }),
    ],
  };
}

function slowFlow(seconds: number): Action {
  return {
    name: 'climate-ensemble',
    actions: [
      shell('forcing', 'sleep 1; yes forcing | head -c 100000 > "$VARVE_OUTPUT/forcing.nc"'),
      ...Array.from({ length: 8 }, (_, i) =>
        shell(
          `member-${i + 1}`,
          `for s in $(seq 1 ${seconds}); do echo "member ${i + 1}: year $((2020 + s))"; sleep 1; done; echo done > "$VARVE_OUTPUT/member.nc"`,
          {
            parentActions: ['forcing'],
          },
        ),
      ),
      shell('ensemble', 'cat "$VARVE_INPUT_MEMBER_1"/*', {
        parentActions: Array.from({ length: 8 }, (_, i) => `member-${i + 1}`),
        stdout: 'mean.txt',
      }),
    ],
  };
}

/** A server on a free port with the demonstration in it; `budget` as the configuration takes it. */
export async function openDemoSite(home: string, { budget = '24MB', port = 0 } = {}): Promise<DemoSite> {
  mkdirSync(home, { recursive: true });
  const environment = { variables: {}, workingFolder: home, userFolder: home, platform: process.platform };
  const { config } = await loadConfig(environment, {
    home,
    set: [`storage.budget=${budget}`, 'execution.launcher=sh', 'log.level=error'],
  });
  const onProblem = (error: unknown, doing: string): void => console.error(doing, error);
  const varve = await openVarve({ config, onProblem });
  const logStream = new Writable({ write: (_chunk, _encoding, done) => done() });
  const running = await serve({
    varve,
    listen: { host: '127.0.0.1', port },
    roles: ['api', 'manager', 'worker'],
    logStream,
    onProblem,
  });
  const url = running.url as string;
  return {
    url,
    client: new VarveClient({ url }),
    async close() {
      await running.close();
      await varve.close();
    },
  };
}

async function submit({ client }: DemoSite, workflow: Action): Promise<number> {
  return (await client.submitRun({ workflow })).run;
}

async function complete(site: DemoSite, workflow: Action): Promise<number> {
  const run = await submit(site, workflow);
  await site.client.waitForRun(run);
  return run;
}

/** The past of the site. */
export async function fillDemoSite(site: DemoSite): Promise<void> {
  await complete(site, variantCalling(20));
  for (let day = 1; day <= 6; day += 1) await complete(site, nightly(day));
  await complete(site, variantCalling(30));
  await complete(site, assembly);
  await complete(site, scatter(200, 0));
  await complete(site, nightly(1));
  await complete(site, variantCalling(30));
  const cancelled = await submit(site, slowFlow(40));
  await new Promise((done) => setTimeout(done, 2500));
  await site.client.cancelRun({ run: cancelled });
  await site.client.waitForRun(cancelled);
}

/** Work that is under way while somebody looks. */
export async function startDemoWork(site: DemoSite, seconds = 120): Promise<number> {
  return submit(site, slowFlow(seconds));
}

if (import.meta.main) {
  const [home, ...flags] = process.argv.slice(2);
  if (home === undefined) {
    console.error('node scripts/demo-site.ts HOME [--serve]');
    process.exit(2);
  }
  const site = await openDemoSite(resolve(home), { port: flags.includes('--serve') ? 7433 : 0 });
  await fillDemoSite(site);
  if (flags.includes('--serve')) {
    await startDemoWork(site, 600);
    console.log(site.url);
    await new Promise((done) => process.once('SIGINT', done));
  }
  await site.close();
}
