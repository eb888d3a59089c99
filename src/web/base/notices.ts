// Short messages about what was done or could not be done; they leave by themselves, failures stay until they are closed.
import { signal } from '@preact/signals';

export interface Notice {
  readonly id: number;
  readonly tone: 'ok' | 'fail';
  readonly text: string;
  readonly hint?: string | undefined;
}

export const notices = signal<readonly Notice[]>([]);

const shownMs = 4000;
let next = 1;

export function closeNotice(id: number): void {
  notices.value = notices.value.filter((notice) => notice.id !== id);
}

export function tell(text: string): void {
  const id = next++;
  notices.value = [...notices.value, { id, tone: 'ok', text }];
  setTimeout(() => closeNotice(id), shownMs);
}

export function complain(error: unknown): void {
  const { message = String(error), hint } = error as { message?: string; hint?: string };
  notices.value = [...notices.value, { id: next++, tone: 'fail', text: message, hint }];
}

/** Does something for the user; says so, or why not. True when it was done. */
export async function attempt(what: () => Promise<unknown>, done?: string): Promise<boolean> {
  try {
    await what();
    if (done !== undefined) tell(done);
    return true;
  } catch (error) {
    complain(error);
    return false;
  }
}
