// What one follower has still to be told. A follower that does not read is let go of; it comes back with the id of its last event.

const mostWaitingCharacters = 1 << 20;

export class EventQueue implements AsyncIterable<Uint8Array> {
  #waiting: string[] = [];
  #characters = 0;
  #ended = false;
  #wake = Promise.withResolvers<void>();

  constructor(signal?: AbortSignal) {
    if (signal?.aborted) this.end();
    signal?.addEventListener('abort', () => this.end(), { once: true });
  }

  push(text: string): void {
    if (text === '' || this.#ended) return;
    this.#waiting.push(text);
    this.#characters += text.length;
    if (this.#characters > mostWaitingCharacters) this.end();
    this.#wake.resolve();
  }

  end(): void {
    this.#ended = true;
    this.#wake.resolve();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    for (;;) {
      await this.#wake.promise;
      this.#wake = Promise.withResolvers<void>();
      if (this.#waiting.length > 0) {
        const text = this.#waiting.join('');
        this.#waiting = [];
        this.#characters = 0;
        yield Buffer.from(text);
      }
      if (this.#ended) return;
    }
  }
}
