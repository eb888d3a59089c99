// Something that is read from the server: its value, what went wrong, and how to read it again. Answers that were overtaken are dropped,
// and many wishes to refresh become one request.
import { type Signal, signal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';

export interface Resource<T> {
  readonly value: Signal<T | undefined>;
  readonly problem: Signal<unknown>;
  refresh(): Promise<void>;
  /** Refreshes soon; wishes in between cost nothing. */
  soon(): void;
}

const soonMs = 120;

export function createResource<T>(load: () => Promise<T>): Resource<T> {
  const value = signal<T | undefined>(undefined);
  const problem = signal<unknown>(undefined);
  let running: Promise<void> | undefined;
  let again = false;
  let waiting: ReturnType<typeof setTimeout> | undefined;

  async function read(): Promise<void> {
    do {
      again = false;
      try {
        value.value = await load();
        problem.value = undefined;
      } catch (error) {
        problem.value = error;
      }
    } while (again);
    running = undefined;
  }

  function refresh(): Promise<void> {
    if (running) again = true;
    running ??= read();
    return running;
  }

  return {
    value,
    problem,
    refresh,
    soon() {
      if (waiting !== undefined) return;
      waiting = setTimeout(() => {
        waiting = undefined;
        void refresh();
      }, soonMs);
    },
  };
}

/** A resource that is read anew when the key changes. */
export function useResource<T>(key: string, load: () => Promise<T>): Resource<T> {
  const resource = useMemo(() => createResource(load), [key]);
  useEffect(() => void resource.refresh(), [resource]);
  return resource;
}
