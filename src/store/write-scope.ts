// What a writing query works with: the session of the transaction, and the outbox of the body that is running in it.
import type { Session } from './database.ts';
import type { Outbox } from './outbox.ts';

export interface WriteScope {
  readonly session: Session;
  outbox: Outbox;
}
