// The identity of datasets. A signature is the SHA-256 of the canonical text of [scheme, tag, value]; the same action
// has two: the logical one says how it is made (parents by their own logical signature, recursively), the physical
// one says from which bytes (parents by content digest). Test vectors pin both: a changed digest is a changed scheme.
import { hash } from 'node:crypto';
import { canonical, type Json, type JsonObject } from './json.ts';

/** Raised whenever the meaning of a signed value changes; old signatures then never match. */
export const signatureScheme = 1;

/** How a parent enters a child's identity: `made` in logical, `content` in physical definitions. */
export interface ParentIdentity {
  readonly slot: string;
  readonly position: number;
  /** Logical signature or content digest of the parent's dataset. */
  readonly key: string;
}

export interface SignedDefinition {
  readonly signature: string;
  /** Canonical text that was signed; kept so that a hit is compared whole. */
  readonly definition: string;
}

function sign(tag: string, value: Json): SignedDefinition {
  const definition = canonical([signatureScheme, tag, value]);
  return { signature: hash('sha256', definition, 'hex'), definition };
}

/** How an action's dataset is made: its own identity and the logical signatures of its parents. */
export function logicalSignature(identity: JsonObject, parents: readonly ParentIdentity[]): SignedDefinition {
  return sign('logical', { action: identity, parents: parentValue(parents) });
}

/** From which bytes an action's dataset is made: its own identity and the content digests of its inputs. */
export function physicalSignature(
  identity: JsonObject,
  parents: readonly ParentIdentity[],
): SignedDefinition {
  return sign('physical', { action: identity, parents: parentValue(parents) });
}

function parentValue(parents: readonly ParentIdentity[]): Json {
  // Without prototype, so that a slot may be called `constructor`.
  const bySlot: Record<string, string[]> = Object.create(null);
  const ordered = [...parents].sort((a, b) => a.position - b.position);
  for (const parent of ordered) (bySlot[parent.slot] ??= []).push(parent.key);
  return bySlot;
}
