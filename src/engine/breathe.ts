// Lets the rest of the process go on in the middle of long work. A driver that answers at once never gives the event loop its turn, so
// that a loop of reads would stand in the way of everything else.

const turnMs = 10;
let since = 0;

/** Resolves at once, or after others had their turn if they have not had one for a while. */
export async function breathe(): Promise<void> {
  if (performance.now() - since < turnMs) return;
  await new Promise((resolve) => setImmediate(resolve));
  since = performance.now();
}
