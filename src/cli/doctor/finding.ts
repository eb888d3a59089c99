// What a check of the machine found.

/** `ok`; `missing`: something optional is not there; `warning`: it works, but not well; `error`: Varve cannot work. */
export type FindingLevel = 'ok' | 'missing' | 'warning' | 'error';

export interface Finding {
  readonly subject: string;
  readonly level: FindingLevel;
  readonly detail: string;
}
