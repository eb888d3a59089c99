// Moments and stretches of time as tables show them.

/** `2026-11-18 09:54:15`, in universal time. */
export function showMoment(at: number): string {
  return new Date(at).toISOString().replace('T', ' ').slice(0, 19);
}

/** The stretch between `since` ago and `until` ago, both in milliseconds. */
export function lastStretch(
  now: number,
  since: number | undefined,
  until: number | undefined,
): { from: number; until: number } {
  return {
    from: since === undefined ? 0 : Math.max(0, now - since),
    until: until === undefined ? Number.MAX_SAFE_INTEGER : now - until,
  };
}
