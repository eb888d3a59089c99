// Headers for a collector as one text, in the form that OpenTelemetry's own variables have: `name=value,name=value`, values percent-encoded.
import { tracingErrors } from './error-codes.ts';

/** Throws without repeating the text, which holds secrets. */
export function readHeaders(text: string | undefined): Record<string, string> {
  const headers = new Headers();
  for (const pair of (text ?? '').split(',')) {
    if (pair.trim() === '') continue;
    const at = pair.indexOf('=');
    try {
      if (at <= 0) throw new TypeError('no name');
      headers.set(pair.slice(0, at).trim(), decodeURIComponent(pair.slice(at + 1).trim()));
    } catch {
      throw tracingErrors.TRACES_HEADERS();
    }
  }
  return Object.fromEntries(headers);
}
