// Reads a file that a user named; a failure says which file and why.
import { readFileSync } from 'node:fs';
import { labErrors } from './error-codes.ts';

export function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw labErrors.LAB_UNREADABLE.with(
      { cause: error },
      file,
      (error as NodeJS.ErrnoException).code ?? String(error),
    );
  }
}
