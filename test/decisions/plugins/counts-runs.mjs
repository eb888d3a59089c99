// A well-behaved plug-in with a state: gives up the oldest first and explains with the number of runs it has seen.
export default {
  name: 'counts-runs',
  reason: 'is the oldest',
  init: (settings) => ({ runs: settings.start ?? 0 }),
  observe(state, event) {
    return event.kind === 'run' ? { runs: state.runs + 1 } : state;
  },
  decide({ known, bytesToFree }, state) {
    const giveUp = [];
    let freed = 0;
    for (let d = 0; d < known.count && freed < bytesToFree; d += 1) {
      const free = (known.marks[d] & 1) !== 0 && (known.marks[d] & (2 | 4 | 8 | 32)) === 0;
      if (!free || known.sizeBytes[d] === 0) continue;
      giveUp.push(d);
      freed += known.sizeBytes[d];
    }
    for (let i = giveUp.length - 1; i >= 0; i -= 1) {
      const size = known.sizeBytes[giveUp[i]];
      if (freed - size < bytesToFree) continue;
      freed -= size;
      giveUp.splice(i, 1);
    }
    return { giveUp, score: giveUp.map(() => state.runs) };
  },
};
