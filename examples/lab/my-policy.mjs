// A decision algorithm of one's own: what is quick to compute per byte goes first, and what was used often counts double.
// Check it with `varve lab check examples/lab/my-policy.mjs`, compare it with
// `varve lab simulate --algorithm hamr --algorithm examples/lab/my-policy.mjs`, and use it by naming it in the configuration.
const stored = 1;
const untouchable = 2 | 4 | 8 | 32; // claimed, a result, pinned, being computed

export default {
  name: 'my-policy',
  reason: 'is quick to compute for its size',

  decide({ known, bytesToFree }) {
    const worth = (d) => (known.computeSeconds[d] * (1 + known.uses[d])) / known.sizeBytes[d];
    const candidates = [];
    for (let d = 0; d < known.count; d += 1) {
      const mayGo = (known.marks[d] & stored) !== 0 && (known.marks[d] & untouchable) === 0;
      if (mayGo && known.sizeBytes[d] > 0) candidates.push(d);
    }
    candidates.sort((a, b) => worth(a) - worth(b) || known.identity[a] - known.identity[b]);

    const taken = [];
    let freed = 0;
    for (const d of candidates) {
      if (freed >= bytesToFree) break;
      taken.push(d);
      freed += known.sizeBytes[d];
    }
    // Give back, from the most valuable end, whatever is more than needed.
    const giveUp = [];
    for (const d of taken.reverse()) {
      if (freed - known.sizeBytes[d] >= bytesToFree) freed -= known.sizeBytes[d];
      else giveUp.unshift(d);
    }
    return { giveUp, score: giveUp.map(worth) };
  },
};
