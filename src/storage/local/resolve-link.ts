// Where a symbolic link of a scanned tree leads, decided from the scan alone. Purely lexical checks are not enough:
// `a/../x` depends on where the link `a` leads.

interface LinkFacts {
  readonly path: string;
  readonly kind: string;
  readonly target: string;
}

export type LinkCourse =
  /** Stays in the tree, or passes through another link that leaves it and is judged on its own. */
  'inside' | 'outside';

// What Linux follows before it says ELOOP; a link that only goes round in the tree harms nobody.
const maxHops = 40;

/** Follows `link` through the tree; `roots` are the absolute names under which the tree's root is known. */
export function resolveLink(
  entries: ReadonlyMap<string, LinkFacts>,
  link: LinkFacts,
  roots: readonly string[],
): LinkCourse {
  const done: string[] = parts(parentOf(link.path));
  // `undefined` marks where the text of another link on the way ends: what leaves the tree before it is that link's fault.
  const todo: (string | undefined)[] = [];
  let hops = 0;
  let nested = 0;
  const follow = (target: string): boolean => {
    const remainder = insideRemainder(target, roots);
    if (remainder !== undefined) done.length = 0;
    else if (target.startsWith('/')) return false;
    todo.unshift(...parts(remainder ?? target));
    return true;
  };
  if (!follow(link.target)) return 'outside';
  while (todo.length > 0) {
    const part = todo.shift();
    if (part === undefined) nested -= 1;
    else if (part === '..') {
      if (done.pop() === undefined) return nested > 0 ? 'inside' : 'outside';
    } else if (part !== '.') {
      const entry = entries.get([...done, part].join('/'));
      if (entry?.kind !== 'symlink') {
        done.push(part);
        continue;
      }
      hops += 1;
      todo.unshift(undefined);
      nested += 1;
      if (hops > maxHops || !follow(entry.target)) return 'inside';
    }
  }
  return 'inside';
}

/** The part of an absolute path below one of the roots; undefined for any other path. */
export function insideRemainder(target: string, roots: readonly string[]): string | undefined {
  for (const root of roots) {
    if (target === root) return '';
    if (target.startsWith(`${root}/`)) return target.slice(root.length + 1);
  }
  return undefined;
}

export function parentOf(path: string): string {
  const slash = path.lastIndexOf('/');
  return slash < 0 ? '' : path.slice(0, slash);
}

function parts(path: string): string[] {
  return path.split('/').filter((part) => part !== '');
}
