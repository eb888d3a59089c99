// Cookies of log-ins: never readable by scripts, never sent along from other sites, only over HTTPS wherever the server is reached by it.

export interface CookieNames {
  readonly session: string;
  readonly login: string;
  readonly secure: boolean;
}

/** With HTTPS the names bind the cookies to this host. */
export function cookieNames(secure: boolean): CookieNames {
  const prefix = secure ? '__Host-' : '';
  return { session: `${prefix}varve-session`, login: `${prefix}varve-login`, secure };
}

export function readCookie(header: string | undefined, name: string): string | undefined {
  for (const part of (header ?? '').split(';')) {
    const at = part.indexOf('=');
    if (at > 0 && part.slice(0, at).trim() === name) return part.slice(at + 1).trim() || undefined;
  }
  return undefined;
}

export function setCookie(name: string, value: string, maxAgeMs: number, secure: boolean): string {
  const age = Math.floor(maxAgeMs / 1000);
  return `${name}=${value}; Path=/; Max-Age=${age}; HttpOnly; SameSite=Lax${secure ? '; Secure' : ''}`;
}
