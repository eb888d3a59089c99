// A process that runs `varve run` command lines for others, each with a store opened and closed as in a process of its own: what a suite of
// hundreds of runs would spend on starting Node is spent once. Listens on a free port, which it prints; a request is the working folder
// and the words, each ended by a zero byte and all by an empty one; the answer is the exit code, a line feed, and what stdout got.
import { createServer, type Socket } from 'node:net';
import { Writable } from 'node:stream';
import type { CommandContext } from '../../src/cli/command.ts';
import { loadCommand } from '../../src/cli/command-table.ts';
import { createOutput } from '../../src/cli/output.ts';
import { parseCommandLine } from '../../src/cli/parse-command-line.ts';
import { reportError } from '../../src/cli/report-error.ts';
import { createStyle } from '../../src/cli/terminal/style.ts';
import { readEnvironment } from '../../src/config/environment.ts';
import { homeFolder } from '../../src/config/home-folder.ts';
import { loadConfig } from '../../src/config/load-config.ts';

const server = createServer((socket) => {
  let request = Buffer.alloc(0);
  socket.on('error', () => {});
  socket.on('data', (data: Buffer) => {
    request = Buffer.concat([request, data]);
    if (!request.subarray(-2).equals(Buffer.of(0, 0))) return;
    const [folder, ...words] = request.toString('utf8').slice(0, -2).split('\0');
    void answer(socket, folder!, words);
  });
});
server.listen(0, '127.0.0.1', () => console.log((server.address() as { port: number }).port));

async function answer(socket: Socket, folder: string, words: readonly string[]): Promise<void> {
  const { stream, text } = collector();
  const exitCode = await execute(folder, words, stream);
  socket.end(`${exitCode}\n${text()}`);
}

function collector(): { stream: NodeJS.WriteStream; text: () => string } {
  let text = '';
  const stream = new Writable({
    write(chunk, _, done) {
      text += String(chunk);
      done();
    },
  });
  return { stream: stream as unknown as NodeJS.WriteStream, text: () => text };
}

async function execute(
  folder: string,
  words: readonly string[],
  stdout: NodeJS.WriteStream,
): Promise<number> {
  const environment = { ...readEnvironment(), workingFolder: folder };
  try {
    const line = parseCommandLine(['run', ...words]);
    if (line.kind !== 'run') return 2;
    const { globals } = line;
    const context: CommandContext = {
      environment,
      globals,
      home: homeFolder(environment, globals.home),
      config: () => loadConfig(environment, globals),
      output: createOutput({ stdout, stderr: process.stderr }, globals, environment),
      signal: new AbortController().signal,
    };
    const { run } = await loadCommand(line.name);
    return (await run(line.invocation, context)) ?? 0;
  } catch (error) {
    return reportError(error, {
      argv: words,
      environment,
      home: homeFolder(environment, undefined),
      json: false,
      style: createStyle(false),
      write: (text) => process.stderr.write(text),
    });
  }
}
