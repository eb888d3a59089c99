export default {
  name: 'greedy-memory',
  reason: 'is never reached',
  decide() {
    const hoard = [];
    for (;;) hoard.push(new Array(10_000).fill(hoard.length));
  },
};
