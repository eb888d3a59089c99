// A body must arrive: a whole one within the time allowed, an upload without standing still for as long. A client that sends byte by byte
// to keep connections busy is cut off.
import type { IncomingMessage } from 'node:http';

export function limitBodyTime(raw: IncomingMessage, upload: boolean, timeMs: number): void {
  if (raw.complete || raw.headers['content-length'] === '0') return;
  if (raw.headers['content-length'] === undefined && raw.headers['transfer-encoding'] === undefined) return;
  let timer: NodeJS.Timeout;
  const cut = (): void => {
    raw.destroy();
  };
  const restart = (): void => {
    clearTimeout(timer);
    timer = setTimeout(cut, timeMs).unref();
  };
  const done = (): void => clearTimeout(timer);
  timer = setTimeout(cut, timeMs).unref();
  raw.once('end', done);
  raw.once('close', done);
  if (upload) raw.on('resume', restart).socket.on('data', restart);
  raw.once('close', () => raw.socket.off('data', restart));
}
