// The types of the handlers follow from the contract: a route without a handler does not compile.
import type { Contract, OperationName } from '../api/contract/all.ts';
import type { InputOf, OutputOf, Route, Routes } from '../api/route.ts';
import type { Caller } from './caller.ts';

export type Handler<R extends Route> = (input: InputOf<R>, caller: Caller) => Promise<OutputOf<R>>;

export type Handlers<T extends Routes> = { readonly [K in keyof T]: Handler<T[K]> };

export type AllHandlers = { readonly [K in OperationName]: Handler<Contract[K]> };
