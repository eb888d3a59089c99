// Asks a server: submits a workflow that this program makes, follows what happens, downloads the result and says what was computed.
import { VarveClient } from 'varve/client';

const [url = 'http://127.0.0.1:7433', word = 'sand'] = process.argv.slice(2);
const client = new VarveClient({ url, token: process.env.VARVE_TOKEN });

const { run } = await client.submitRun({
  workflow: {
    name: 'count a word',
    actions: [
      { id: 'lines', command: ['printf', 'sand\nclay\nsand\n'], stdout: 'lines.txt' },
      {
        id: 'count',
        command: `grep -c ${word} "$VARVE_INPUT_LINES/lines.txt"`,
        parentActions: ['lines'],
        stdout: 'count.txt',
      },
    ],
  },
});
console.log(`run ${run} ${(await client.waitForRun(run)).toLowerCase()}`);

const { outputs, actions: counts } = await client.getRun({ run });
for (const { action, dataset } of outputs) {
  const { body } = await client.readFile({ dataset, path: `${action}.txt` });
  let text = '';
  for await (const piece of body) text += Buffer.from(piece).toString();
  console.log(`${action}: ${text.trim()}`);
}
console.log(`computed: ${counts.computed}, reused: ${counts.reused}`);
