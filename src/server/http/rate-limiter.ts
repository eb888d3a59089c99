// How many requests somebody may make: a bucket that holds one second's worth and fills up steadily.

interface Bucket {
  tokens: number;
  at: number;
}

const mostBuckets = 10_000;

export class RateLimiter {
  readonly #perSecond: number;
  #buckets = new Map<string, Bucket>();

  /** 0 allows everything. */
  constructor(perSecond: number) {
    this.#perSecond = perSecond;
  }

  /** False when the bucket is empty. */
  take(key: string, now = Date.now()): boolean {
    if (this.#perSecond === 0) return true;
    const bucket = this.#fill(key, now);
    if (bucket.tokens < 1) return false;
    bucket.tokens -= 1;
    return true;
  }

  hasRoom(key: string, now = Date.now()): boolean {
    return this.#perSecond === 0 || this.#fill(key, now).tokens >= 1;
  }

  #fill(key: string, now: number): Bucket {
    const known = this.#buckets.get(key);
    if (!known) {
      if (this.#buckets.size >= mostBuckets) this.#buckets = new Map();
      const bucket = { tokens: this.#perSecond, at: now };
      this.#buckets.set(key, bucket);
      return bucket;
    }
    known.tokens = Math.min(this.#perSecond, known.tokens + ((now - known.at) / 1000) * this.#perSecond);
    known.at = now;
    return known;
  }
}
