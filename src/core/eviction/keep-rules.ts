// Users' rules about how long datasets live, beside pins and the `keep` of an action: what is always kept, what is never kept, and
// how much results each user may hold. A rule matches by the name of the action, by the user whose run first computed the
// dataset, and by size; what it does not name matches everything.

export type RuleEffect = 'keep' | 'never-keep' | 'leaf-quota';

export interface KeepRule {
  readonly id: number;
  readonly effect: RuleEffect;
  /** Name of the action; `*` stands for any text. */
  readonly name: string | null;
  readonly userName: string | null;
  readonly atLeastBytes: number | null;
  readonly atMostBytes: number | null;
  /** For a quota: bytes of results that each matching user may hold. */
  readonly quotaBytes: number | null;
  readonly createdBy: string;
  readonly createdAt: number;
}

export interface RuledDataset {
  readonly name: string;
  readonly userName: string;
  readonly sizeBytes: number;
}

/** What the rules say about a dataset; undefined leaves it to the budget. A rule to keep wins over one to let go. */
export function ruledEffect(
  rules: readonly KeepRule[],
  dataset: RuledDataset,
): { readonly effect: 'keep' | 'never-keep'; readonly rule: KeepRule } | undefined {
  for (const effect of ['keep', 'never-keep'] as const) {
    const rule = rules.find((one) => one.effect === effect && matches(one, dataset));
    if (rule) return { effect, rule };
  }
  return undefined;
}

/** Bytes of results that a user may hold; undefined when no quota applies. A quota for the user wins over one for all. */
export function leafQuota(rules: readonly KeepRule[], userName: string): number | undefined {
  const quotas = rules.filter((rule) => rule.effect === 'leaf-quota' && rule.quotaBytes !== null);
  const own = quotas.filter((rule) => rule.userName === userName);
  const applying = own.length > 0 ? own : quotas.filter((rule) => rule.userName === null);
  return applying.length === 0 ? undefined : Math.min(...applying.map((rule) => rule.quotaBytes as number));
}

/** The rule in words, as in "kept because of rule 3: …". */
export function ruleText(rule: KeepRule, bytes: (count: number) => string): string {
  const what =
    rule.effect === 'leaf-quota'
      ? `results of ${rule.userName ?? 'each user'} take at most ${bytes(rule.quotaBytes ?? 0)}`
      : [
          rule.effect === 'keep' ? 'always keep' : 'never keep',
          rule.name === null ? 'datasets' : `datasets of ${rule.name}`,
          ...(rule.userName === null ? [] : [`of user ${rule.userName}`]),
          ...(rule.atLeastBytes === null ? [] : [`of at least ${bytes(rule.atLeastBytes)}`]),
          ...(rule.atMostBytes === null ? [] : [`of at most ${bytes(rule.atMostBytes)}`]),
        ].join(' ');
  return what;
}

function matches(rule: KeepRule, dataset: RuledDataset): boolean {
  if (rule.userName !== null && rule.userName !== dataset.userName) return false;
  if (rule.atLeastBytes !== null && dataset.sizeBytes < rule.atLeastBytes) return false;
  if (rule.atMostBytes !== null && dataset.sizeBytes > rule.atMostBytes) return false;
  return rule.name === null || matchesPattern(rule.name, dataset.name);
}

/** True when the text fits the pattern, in which `*` stands for any text. Linear: no pattern can make it slow. */
export function matchesPattern(pattern: string, text: string): boolean {
  const [head = '', ...rest] = pattern.split('*');
  if (rest.length === 0) return text === head;
  if (!text.startsWith(head)) return false;
  const tail = rest.pop() as string;
  let at = head.length;
  for (const part of rest) {
    const found = text.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return text.length - at >= tail.length && text.endsWith(tail);
}
