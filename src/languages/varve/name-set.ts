// A set of names that is asked about every word of very many commands. A Set keeps whatever text it is asked about in the engine's table of
// strings, which costs more than the look; here length and first character tell most words from all names.

export class NameSet {
  readonly size: number;
  readonly #alike = new Map<number, string[]>();

  constructor(names: ReadonlySet<string>) {
    this.size = names.size;
    for (const name of names) {
      const key = likeness(name);
      const alike = this.#alike.get(key);
      if (alike) alike.push(name);
      else this.#alike.set(key, [name]);
    }
  }

  has(text: string): boolean {
    return this.#alike.get(likeness(text))?.includes(text) ?? false;
  }
}

function likeness(text: string): number {
  return text.length * 0x1_0000 + text.charCodeAt(0);
}
