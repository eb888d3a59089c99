// Sends the logs of a running job as they grow.
import { open } from 'node:fs/promises';
import type { Bytes } from '../api/route.ts';

type Stream = 'stdout' | 'stderr';

export interface LogSenderOptions {
  /** Where each log lies; undefined when it is sent otherwise. */
  readonly pathOf: (stream: Stream) => string | undefined;
  readonly append: (stream: Stream, offset: number, bytes: Bytes) => Promise<number>;
}

const pieceBytes = 1 << 20;

export class LogSender {
  readonly #options: LogSenderOptions;
  readonly #sent: Record<Stream, number> = { stdout: 0, stderr: 0 };
  #sending: Promise<void> = Promise.resolve();

  constructor(options: LogSenderOptions) {
    this.#options = options;
  }

  /** Sends what is there and was not sent; one at a time. */
  send(): Promise<void> {
    this.#sending = this.#sending
      .catch(() => {})
      .then(async () => {
        await this.#sendStream('stdout');
        await this.#sendStream('stderr');
      });
    return this.#sending;
  }

  async #sendStream(stream: Stream): Promise<void> {
    const path = this.#options.pathOf(stream);
    if (path === undefined) return;
    const file = await open(path).catch(() => undefined);
    if (!file) return;
    try {
      for (;;) {
        const buffer = Buffer.alloc(pieceBytes);
        const { bytesRead } = await file.read(buffer, 0, pieceBytes, this.#sent[stream]);
        if (bytesRead === 0) return;
        const piece = buffer.subarray(0, bytesRead);
        this.#sent[stream] = await this.#options.append(stream, this.#sent[stream], once(piece));
      }
    } finally {
      await file.close();
    }
  }
}

async function* once(piece: Uint8Array): Bytes {
  yield piece;
}
