// Runs a server: answers requests, works, or both, until it is told to stop. Everything that several servers share is in the store.
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import type { ListenAddress } from '../config/value-types.ts';
import type { EngineRole } from '../engine/engine.ts';
import type { Varve } from '../varve.ts';
import { serverErrors } from './error-codes.ts';
import { type BufferedLog, bufferedLog } from './http/log-stream.ts';
import { createHttpServer, type LogStream } from './http/server.ts';
import { keepUploadsClean } from './inputs/clean-uploads.ts';
import { openSite } from './local-api.ts';
import { isLoopback } from './loopback.ts';
import { sampleSpace } from './sample-space.ts';

export interface ServeOptions {
  readonly varve: Varve;
  readonly listen: ListenAddress;
  readonly roles: readonly string[];
  /** Where log lines go; JSON, one per line. */
  readonly logStream?: LogStream | undefined;
  readonly onProblem: (error: unknown, doing: string) => void;
  /** Called when an operator wants the process to end. */
  readonly onToldToLeave?: (() => void) | undefined;
}

export interface RunningServer {
  /** Where it answers; undefined without the role api. */
  readonly url: string | undefined;
  /** Takes nothing new, finishes what is in hand, and leaves. Running jobs go on and are taken over by others. */
  close(): Promise<void>;
}

export async function serve(options: ServeOptions): Promise<RunningServer> {
  const { varve, roles, onProblem } = options;
  const engineRoles = roles.filter((role): role is EngineRole => role === 'manager' || role === 'worker');
  const site = openSite(varve, onProblem);
  const log = options.logStream ? undefined : bufferedLog();
  const stream = options.logStream ?? (log as BufferedLog);
  const app = roles.includes('api') ? await openHttp(options, site, stream) : undefined;
  await varve.work({
    roles: engineRoles,
    alsoIs: app ? ['api'] : [],
    dispatches: roles.includes('manager'),
    onToldToLeave: options.onToldToLeave,
  });
  const sampling = roles.includes('manager') ? sampleSpace(varve, onProblem) : undefined;
  const cleaning = roles.includes('manager')
    ? keepUploadsClean(join(varve.config.storage.root, 'uploads'), onProblem)
    : undefined;
  return {
    url: app && addressOf(app, options.listen),
    async close() {
      sampling?.stop();
      cleaning?.stop();
      await site.workers.close();
      await site.events.close();
      await site.whatIf.close();
      await app?.close();
      log?.close();
    },
  };
}

async function openHttp(
  { varve, listen }: ServeOptions,
  site: ReturnType<typeof openSite>,
  stream: LogStream,
): Promise<FastifyInstance> {
  const { server, log, oidc } = varve.config;
  const open = !isLoopback(listen.host);
  const shown = `${listen.host}:${listen.port}`;
  if (open && oidc.issuer === undefined && !(await varve.store.view.anyAccount()))
    throw serverErrors.LISTEN_UNPROTECTED(shown);
  const app = createHttpServer({
    site,
    authenticationRequired: open || server.authentication === 'required' || oidc.issuer !== undefined,
    publicUrl: server.publicUrl,
    listenUrl: () => addressOf(app, listen),
    log: { level: log.level, stream },
  });
  try {
    await app.listen({ host: listen.host, port: listen.port, backlog: 1024 });
  } catch (error) {
    throw serverErrors.LISTEN_FAILED(shown, error instanceof Error ? error.message : String(error));
  }
  return app;
}

function addressOf(app: FastifyInstance, { host }: ListenAddress): string {
  const { port } = app.server.address() as AddressInfo;
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}
