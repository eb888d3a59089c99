// The parts of the benchmark: a file of bench/ each.

export interface Part {
  readonly name: string;
  readonly title: string;
  /** Whether `npm run bench` without names runs it. */
  readonly standard: boolean;
  /** It writes its own points; what the others print is their result. */
  readonly points?: boolean;
  /** Arguments with which it ends within a minute or so, for `--quick`; a part without them is left out then. */
  readonly quick?: readonly string[];
}

export const parts: readonly Part[] = [
  {
    name: 'graphs',
    title: 'Small actions in four shapes, beside peers',
    standard: true,
    points: true,
    quick: ['--sizes', '20,200', '--rounds', '1', '--longest', '5'],
  },
  {
    name: 'data',
    title: '1 GB of data through 20 steps, beside peers',
    standard: true,
    points: true,
    quick: ['--megabytes', '10', '--rounds', '1'],
  },
  {
    name: 'plans',
    title: 'Planning large graphs, beside peers',
    standard: true,
    points: true,
    quick: ['--sizes', '200,2000', '--rounds', '1'],
  },
  {
    name: 'budget',
    title: 'A storage budget under pressure',
    standard: true,
    points: true,
    quick: ['--requests', '6', '--rounds', '1'],
  },
  {
    name: 'profile',
    title: 'Where the time goes',
    standard: true,
    quick: ['--count', '200', '--plan', '2000'],
  },
  {
    name: 'cwl',
    title: 'CWL beside cwltool: start, scatter, growth, expressions',
    standard: true,
    quick: ['start', 'expressions', '--rounds', '1'],
  },
  {
    name: 'startup',
    title: 'How long a command takes to start',
    standard: true,
    quick: ['10'],
  },
  {
    name: 'spawn',
    title: 'Starting short commands beside xargs',
    standard: true,
    quick: ['--rounds', '2'],
  },
  {
    name: 'engine',
    title: 'The engine beside make, and its growth',
    standard: true,
  },
  {
    name: 'language',
    title: 'Reading workflow documents',
    standard: true,
    quick: [],
  },
  {
    name: 'storage',
    title: 'Datasets on disk: publishing, hashing, listing',
    standard: true,
    quick: [],
  },
  {
    name: 'store',
    title: 'The store beside graphile-worker and pg-boss',
    standard: true,
  },
  {
    name: 'http',
    title: 'A server under load',
    standard: true,
    quick: ['sqlite', '--seconds', '3'],
  },
  {
    name: 'cluster',
    title: 'Many processes and many workers',
    standard: true,
    quick: ['workers', '--workers', '100'],
  },
  {
    name: 'web',
    title: 'The web page in a browser',
    standard: true,
    quick: [],
  },
  {
    name: 'decisions',
    title: 'One decision over many datasets',
    standard: true,
  },
  {
    name: 'decisions-store',
    title: 'One decision from the store',
    standard: true,
  },
  {
    name: 'lab-goals',
    title: 'Decision algorithms on all families',
    standard: false,
  },
];

export function partNamed(name: string): Part | undefined {
  return parts.find((part) => part.name === name);
}
