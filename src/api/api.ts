// The API as callers see it: one function per operation. The engine of this process and a server at the other end of a connection both
// implement it, so that whatever is built on it works with either.
import type { Contract, OperationName } from './contract/all.ts';
import type { InputOf, OutputOf } from './route.ts';

export type Input<K extends OperationName> = InputOf<Contract[K]>;
export type Output<K extends OperationName> = OutputOf<Contract[K]>;

export type Api = {
  readonly [K in OperationName]: (input: Input<K>) => Promise<Output<K>>;
};
