// The identity of datasets. A signature is the SHA-256 of the canonical text of [scheme, tag, value]; the same action
// has two: the logical one says how it is made (parents by their own logical signature, recursively), the physical
// one says from which bytes (parents by content digest). Test vectors pin both: a changed digest is a changed scheme.
import { hash } from 'node:crypto';
import { canonical, type JsonObject } from './json.ts';

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

/** The canonical text of `[scheme, tag, {action, parents}]`, put together from the parts, because large plans sign very many. */
function sign(tag: string, identity: JsonObject, parents: readonly ParentIdentity[]): SignedDefinition {
  const definition = `[${signatureScheme},"${tag}",{"action":${canonical(identity)},"parents":${parentsText(parents)}}]`;
  return { signature: hash('sha256', definition, 'hex'), definition };
}

/** How an action's dataset is made: its own identity and the logical signatures of its parents. */
export function logicalSignature(identity: JsonObject, parents: readonly ParentIdentity[]): SignedDefinition {
  return sign('logical', identity, parents);
}

/** From which bytes an action's dataset is made: its own identity and the content digests of its inputs. */
export function physicalSignature(
  identity: JsonObject,
  parents: readonly ParentIdentity[],
): SignedDefinition {
  return sign('physical', identity, parents);
}

/** Slot → keys in the order of their positions, as canonical text. */
function parentsText(parents: readonly ParentIdentity[]): string {
  let text = '{';
  let slot: string | undefined;
  for (const parent of parents.length > 1 ? [...parents].sort(bySlotAndPosition) : parents) {
    if (parent.slot === slot) text += `,${JSON.stringify(parent.key)}`;
    else {
      text += `${slot === undefined ? '' : '],'}${JSON.stringify(parent.slot)}:[${JSON.stringify(parent.key)}`;
      slot = parent.slot;
    }
  }
  return slot === undefined ? '{}' : `${text}]}`;
}

function bySlotAndPosition(a: ParentIdentity, b: ParentIdentity): number {
  return a.slot < b.slot ? -1 : a.slot > b.slot ? 1 : a.position - b.position;
}
