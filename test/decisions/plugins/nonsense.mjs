// Answers something else each time: a result, everything, a number that is no dataset, no list at all.
const answers = [
  (facts) => ({ giveUp: [...facts.known.marks.keys()].filter((d) => facts.known.marks[d] & 4).slice(0, 1) }),
  (facts) => ({ giveUp: [...facts.known.marks.keys()].slice(0, facts.known.count) }),
  () => ({ giveUp: [1e9] }),
  () => ({ giveUp: 'everything' }),
  () => undefined,
];

export default {
  name: 'nonsense',
  reason: 'is never reached',
  init: () => ({ next: 0 }),
  decide(facts, state) {
    return answers[state.next++ % answers.length](facts);
  },
};
