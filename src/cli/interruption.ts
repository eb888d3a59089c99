// What happens when somebody wants a command to stop: the first signal asks the command to end in good order, the second ends the
// process at once. A reader of stdout that goes away counts as a request, too.
import { constants } from 'node:os';
import { cliErrors } from './error-codes.ts';
import type { OutputStreams } from './output.ts';

export interface Interruption {
  /** Aborts with a VarveError of kind `cancelled`. */
  readonly signal: AbortSignal;
  /** The exit code that the interruption asks for, when the command ended because of it. */
  exitCode(): number | undefined;
}

const stopSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
const outputClosedExitCode = 128 + constants.signals.SIGPIPE;

/** Starts to listen for signals and for a closed stdout. */
export function watchInterruption(streams: OutputStreams): Interruption {
  const controller = new AbortController();
  let exitCode: number | undefined;

  for (const name of stopSignals) {
    process.on(name, () => {
      const code = 128 + constants.signals[name];
      if (controller.signal.aborted) process.exit(code);
      exitCode = code;
      if (streams.stderr.isTTY)
        streams.stderr.write('\nvarve: stopping; press Ctrl-C again to quit at once\n');
      controller.abort(cliErrors.CLI_INTERRUPTED(name));
    });
  }
  streams.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    if (controller.signal.aborted) return;
    exitCode = outputClosedExitCode;
    controller.abort(cliErrors.CLI_OUTPUT_CLOSED());
  });
  // Nobody reads our messages any more: there is nobody left to tell.
  streams.stderr.on('error', () => {});

  return { signal: controller.signal, exitCode: () => exitCode };
}
