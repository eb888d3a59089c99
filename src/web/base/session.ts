// Who looks at the page, and what they may do.
import { computed, signal } from '@preact/signals';
import { api, type Output } from './api.ts';

export const session = signal<Output<'getSession'> | undefined>(undefined);
export const sessionProblem = signal<unknown>(undefined);

const ranks = ['viewer', 'submitter', 'admin'];

export const maySubmit = computed(() => ranks.indexOf(session.value?.role ?? 'viewer') >= 1);
export const isAdmin = computed(() => session.value?.role === 'admin');

/** The whole site is told of only to those who may see everything in it. */
export const seesAll = computed(() => session.value?.seesAll === true);

export async function readSession(): Promise<void> {
  try {
    session.value = await api.getSession({});
    sessionProblem.value = undefined;
  } catch (error) {
    session.value = undefined;
    sessionProblem.value = error;
  }
}

/** True when the server wants to know who asks. */
export function wantsLogin(problem: unknown): boolean {
  return (problem as { status?: number } | undefined)?.status === 401;
}
