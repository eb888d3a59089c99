// What can go wrong with files: the storage as a whole (STORAGE_*), what a command left in its output directory
// (OUTPUT_*), input files and URLs (INPUT_*), and places that the user named for results (PLACE_*).
import { defineErrors } from '../core/errors.ts';

export const storageErrors = defineErrors({
  STORAGE_FULL: {
    kind: 'exhausted',
    summary: 'The file system of the storage has no space or inodes left, or a quota is reached.',
    message: (doing: string, path: string) => `no space left to ${doing} ${show(path)}`,
    hint: 'free some space, raise the quota, or lower storage.budget; the work is tried again later',
  },
  STORAGE_READ_ONLY: {
    kind: 'unavailable',
    summary: 'The file system of the storage is mounted read-only.',
    message: (doing: string, path: string) => `cannot ${doing} ${show(path)}: the file system is read-only`,
    hint: 'mount it read-write (a disk with errors is often remounted read-only: look at the system log)',
  },
  STORAGE_DENIED: {
    kind: 'denied',
    summary: 'The user that runs Varve lacks a permission on a file or folder of the storage.',
    message: (doing: string, path: string) => `may not ${doing} ${show(path)}: permission denied`,
    hint: 'give the user that runs Varve the right to write there, or choose another folder',
  },
  STORAGE_IO: {
    kind: 'unavailable',
    summary: 'The disk or the file server answered with an error.',
    message: (doing: string, path: string, code: string) => `cannot ${doing} ${show(path)}: ${code}`,
    hint: 'look at the system log for disk or network errors',
  },
  STORAGE_TOO_MANY_OPEN: {
    kind: 'exhausted',
    summary: 'The process or the system has too many open files.',
    message: (doing: string, path: string) => `cannot ${doing} ${show(path)}: too many open files`,
    hint: 'raise the limit (ulimit -n)',
  },
  STORAGE_PATH_TOO_LONG: {
    kind: 'invalid',
    summary: 'A path is longer than the file system allows.',
    message: (doing: string, path: string) => `cannot ${doing} ${show(shorten(path))}: the path is too long`,
    hint: 'use fewer or shorter folder names',
  },
  STORAGE_NOT_A_FOLDER: {
    kind: 'invalid',
    summary: 'The place that is configured for the storage, or a part of it, is a file.',
    message: (path: string) => `${show(path)} is not a folder`,
    hint: 'choose another folder or move the file away',
  },
  STORAGE_GONE: {
    kind: 'unavailable',
    summary: 'The folder of the storage disappeared while it was in use.',
    message: (path: string) => `the storage folder ${show(path)} is gone`,
    hint: 'mount it again; if it was deleted on purpose, restart Varve, which then begins with an empty one',
  },
  STORAGE_NEWER: {
    kind: 'unsupported',
    summary: 'The storage folder was made by a newer version of Varve.',
    message: (path: string, format: number) =>
      `the storage folder ${show(path)} has format ${format}, which is newer`,
    hint: 'upgrade Varve',
  },
  STORAGE_MARKER_DAMAGED: {
    kind: 'corrupt',
    summary: 'The file that identifies a storage folder cannot be understood.',
    message: (path: string) => `${show(path)} does not say which storage this is`,
    hint: 'restore it from a backup, or delete it: a new one is written at the next start',
  },
  STORAGE_SPLIT: {
    kind: 'invalid',
    summary:
      'The parts of one storage folder lie on different file systems, so publishing cannot be one rename.',
    message: (from: string, to: string) => `${show(from)} and ${show(to)} are on different file systems`,
    hint: 'keep the whole storage folder on one file system',
  },
  STORAGE_BAD_NAME: {
    kind: 'bug',
    summary: 'A key or location that is no safe name reached the storage.',
    message: (name: string) => `${show(shorten(name))} is no name of an attempt or a dataset`,
  },
  OUTPUT_FOLDER_MISSING: {
    kind: 'failed',
    summary: 'The output directory of an attempt is not there.',
    message: (path: string) => `the output directory ${show(path)} is missing`,
    hint: 'the command must not remove or rename the directory in VARVE_OUTPUT',
  },
  OUTPUT_NOT_A_FOLDER: {
    kind: 'failed',
    summary: 'A command replaced its output directory by a file or a link.',
    message: (path: string) => `the output directory ${show(path)} is no directory any more`,
    hint: 'the command must write into the directory in VARVE_OUTPUT, not in its place',
  },
  OUTPUT_LINK_OUTSIDE: {
    kind: 'failed',
    summary: 'A symbolic link in the output points to something that is neither in it nor an input.',
    message: (path: string, target: string) =>
      `the output ${show(path)} is a link to ${show(target)}, which is outside the output directory`,
    hint: 'copy or move the file into the output directory instead of linking to it',
  },
  OUTPUT_SPECIAL_FILE: {
    kind: 'failed',
    summary: 'The output has a socket, a named pipe or a device in it.',
    message: (path: string) => `the output ${show(path)} is a socket, pipe or device; it cannot be kept`,
    hint: 'make it elsewhere (for instance in the current directory) or remove it at the end',
  },
  OUTPUT_NAME_NOT_UTF8: {
    kind: 'failed',
    summary: 'The name of an output is not valid UTF-8.',
    message: (path: string) => `the name of the output ${path} is not valid UTF-8`,
    hint: 'give the file another name',
  },
  OUTPUT_NOT_OWNED: {
    kind: 'failed',
    summary: 'A file in the output belongs to another user, so that it cannot be sealed.',
    message: (path: string) =>
      `the output ${show(path)} belongs to another user and cannot be made read-only`,
    hint: 'run the command (or its container) as the user that runs Varve',
  },
  INPUT_MISSING: {
    kind: 'missing',
    summary: 'An input file or directory does not exist.',
    message: (path: string) => `the input ${show(path)} does not exist`,
  },
  INPUT_UNREADABLE: {
    kind: 'denied',
    summary: 'An input file or directory may not be read.',
    message: (path: string) => `the input ${show(path)} may not be read`,
    hint: 'give the user that runs Varve the right to read it',
  },
  INPUT_NOT_A_FILE: {
    kind: 'invalid',
    summary: 'An input is a socket, a named pipe or a device, or has one in it.',
    message: (path: string) => `the input ${show(path)} is neither a file nor a directory`,
  },
  INPUT_NAME_NOT_UTF8: {
    kind: 'invalid',
    summary: 'An input directory has a file in it whose name is not valid UTF-8.',
    message: (path: string) => `the input ${show(path)} has a name in it that is not valid UTF-8`,
    hint: 'give the file another name',
  },
  INPUT_CHANGING: {
    kind: 'unavailable',
    summary: 'An input file was written to while it was read.',
    message: (path: string) => `the input ${show(path)} keeps changing while it is read`,
    hint: 'start the run when the file is complete',
  },
  INPUT_LINK_LOOP: {
    kind: 'invalid',
    summary: 'Links in an input directory lead back to the directory itself.',
    message: (path: string) => `the input ${show(path)} contains itself through a link`,
  },
  INPUT_URL_INVALID: {
    kind: 'invalid',
    summary: 'An input URL cannot be understood or has a scheme other than http and https.',
    message: (url: string) => `${show(url)} is no http or https URL`,
  },
  INPUT_URL_DENIED: {
    kind: 'denied',
    summary: 'The configuration does not allow downloads from this address.',
    message: (url: string, reason: string) => `downloading ${url} is not allowed: ${reason}`,
  },
  INPUT_URL_MISSING: {
    kind: 'missing',
    summary: 'The server says that there is nothing at the URL, or that it may not be read.',
    message: (url: string, status: number) => `${url} answered with status ${status}`,
  },
  INPUT_URL_UNAVAILABLE: {
    kind: 'unavailable',
    summary: 'The server cannot be reached, failed, or broke off.',
    message: (url: string, reason: string) => `cannot download ${url}: ${reason}`,
  },
  INPUT_URL_TIMEOUT: {
    kind: 'timeout',
    summary: 'A download took longer than allowed.',
    message: (url: string, milliseconds: number) => `${url} was not downloaded within ${milliseconds} ms`,
  },
  INPUT_URL_TOO_LARGE: {
    kind: 'exhausted',
    summary: 'A download is larger than allowed.',
    message: (url: string, limitBytes: number) => `${url} is larger than ${limitBytes} bytes`,
  },
  PLACE_TARGET_FOREIGN: {
    kind: 'invalid',
    summary: 'The place for a result holds files that Varve did not put there, or that changed since.',
    message: (target: string, what: string) => `${show(target)} is not replaced: ${what}`,
    hint: 'move these files away or choose another place',
  },
  PLACE_SOURCE_MISSING: {
    kind: 'missing',
    summary: 'The files that were to be put somewhere are not there.',
    message: (source: string) => `${show(source)} does not exist`,
  },
});

/** A path as it is shown in messages: quoted when it has odd characters. */
function show(path: string): string {
  return /^[\x21\x23-\x26\x28-\x7e\xa0-\u{10ffff}]+$/u.test(path) ? path : JSON.stringify(path);
}

function shorten(text: string): string {
  return text.length <= 200 ? text : `${text.slice(0, 200)}…`;
}
