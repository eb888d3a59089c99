// Nextflow from Maven: its classes are started without its launcher, which would download them again.
import { globSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { commandOf, type Engine } from '../harness/engine.ts';
import { peersFolder, programOf } from './folder.ts';

const opened = [
  'java.lang',
  'java.io',
  'java.nio',
  'java.nio.file.spi',
  'java.net',
  'java.util',
  'java.util.concurrent',
  'java.util.regex',
  'sun.nio.ch',
  'sun.nio.fs',
];

function version(): string | undefined {
  const [jar] = globSync('nextflow/lib/nextflow-*.jar', { cwd: peersFolder });
  return programOf('nextflow', 'java') ? /nextflow-([\d.]+)\.jar/.exec(jar ?? '')?.[1] : undefined;
}

export const nextflow: Engine = {
  name: 'Nextflow',
  note: 'one process over a channel, two at a time, `-resume`; other shapes are not natural in it',
  version,
  most: (shape, scenario) => (shape === 'fan' && ['cold', 'reused'].includes(scenario) ? 200 : 0),
  prepare({ tasks }, folder) {
    const script = commandOf(0, 'f').replace('0', '$i');
    const flow = `process one { input: val i; output: path 'f'; script: "${script}" }
workflow { Channel.of(1..${tasks.length}) | one }
`;
    writeFileSync(join(folder, 'main.nf'), flow);
    const config =
      "process.executor = 'local'\nexecutor { cpus = 2; queueSize = 2; pollInterval = '50 ms' }\n";
    writeFileSync(join(folder, 'nextflow.config'), config);
    const opens = opened.map((name) => `--add-opens=java.base/${name}=ALL-UNNAMED`);
    const classes = join(peersFolder, 'nextflow', 'lib', '*');
    return {
      argv: ['java', '-cp', classes, ...opens, 'nextflow.cli.Launcher', '-q', 'run', 'main.nf', '-resume'],
      cwd: folder,
      env: { NXF_OFFLINE: 'true', NXF_HOME: join(folder, 'home'), NXF_ANSI_LOG: 'false' },
    };
  },
};
