// xargs: nothing but starting the commands, two at a time. It is the limit that an engine can come near to, not a competitor.
import { commandOf, type Engine } from '../harness/engine.ts';
import { outputFolder, printedVersion } from './folder.ts';

export const xargs: Engine = {
  name: 'xargs',
  note: '`xargs -P2 -I{} sh -c …`: the physical limit of spawning; it remembers nothing',
  version: () => printedVersion('xargs', '--version'),
  most: (shape, scenario) => (shape === 'fan' && scenario === 'cold' ? 20_000 : 0),
  prepare({ tasks }, folder) {
    const { outputs } = outputFolder(folder);
    const script = `seq ${tasks.length} | xargs -P2 -I{} sh -c '${commandOf(0, 'o/{}')}'`;
    return { argv: ['sh', '-c', script], cwd: folder, outputs };
  },
};
