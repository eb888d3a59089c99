// The contract of the store: what the engine relies on, whatever the database.
import { claims } from './contract-claims.ts';
import { groupCommit } from './contract-group-commit.ts';
import { leases } from './contract-leases.ts';
import { moves } from './contract-moves.ts';
import { views } from './contract-views.ts';
import type { StoreKind } from './kinds.ts';
import { holds } from './section.ts';

export function storeContract(kind: StoreKind): void {
  for (const section of [moves, leases, groupCommit, claims, views]) holds(kind, section);
}
