// Does what operators tell this process: pause, go on, finish what it has and leave, or leave at once.
import type { ActionManager } from './action-manager.ts';
import type { Order } from './membership.ts';

export interface Obedience {
  obey(order: Order): void;
  close(): void;
}

const lookMs = 200;

/** `leave` is called once, when the process should end. */
export function createObedience(
  manager: Pick<ActionManager, 'pause' | 'resume' | 'inHand'>,
  leave: () => void,
): Obedience {
  let takes = true;
  let left = false;
  let draining: NodeJS.Timeout | undefined;

  function leaveOnce(): void {
    clearInterval(draining);
    if (!left) leave();
    left = true;
  }

  return {
    obey({ state, leaveNow }) {
      const shouldTake = state === 'ACTIVE';
      if (shouldTake !== takes) {
        takes = shouldTake;
        if (takes) manager.resume();
        else manager.pause();
      }
      clearInterval(draining);
      if (state !== 'DRAINING') return;
      if (leaveNow) leaveOnce();
      else {
        draining = setInterval(() => {
          if (manager.inHand === 0) leaveOnce();
        }, lookMs).unref();
      }
    },
    close() {
      clearInterval(draining);
    },
  };
}
