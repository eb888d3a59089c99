// Can actions be confined here, and must they be?
import { findBubblewrap } from '../../backends/local/sandbox.ts';
import type { Finding } from './finding.ts';

const lacking = { off: 'missing', on: 'warning', required: 'error' } as const;

export async function checkSandbox(mode: keyof typeof lacking, path: string): Promise<Finding> {
  const subject = 'sandbox';
  const found = await findBubblewrap(path);
  const setting = `execution.sandbox is ${mode}`;
  return 'program' in found
    ? { subject, level: 'ok', detail: `${found.program}; ${setting}` }
    : { subject, level: lacking[mode], detail: `${found.reason}; ${setting}` };
}
