// A process that runs a history for real under a tight budget, in the folder that it is given; to be killed by tests.
import { realHistory, runHistory } from '../../src/cli/laboratory/run-history.ts';
import { generateHistory } from '../../src/lab/history-source.ts';
import { planReplay } from '../../src/lab/replay-plan.ts';

const history = realHistory(generateHistory({ family: 'zipf', seed: 21, parameters: { actions: 90 } }), 1e-5);
await runHistory(history, {
  folder: process.argv[2] as string,
  algorithm: 'hamr',
  budgetBytes: Math.floor(planReplay(history).footprintBytes / 10),
  highMark: 0.9,
  lowMark: 0.7,
  decide: 'during-runs',
  timeScale: 0,
  launcher: 'sh',
});
