// Quoting for POSIX shells.

/** The text as one shell word that stands for itself. */
export function shellQuote(text: string): string {
  if (text !== '' && /^[A-Za-z0-9@%_+=:,./-]+$/.test(text)) return text;
  return `'${text.replaceAll("'", `'"'"'`)}'`;
}
