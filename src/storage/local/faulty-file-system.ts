// A file system whose calls fail when a test says so: with an error of the operating system, or as if the process had died
// at that call, after which no call does anything any more. Used to try every crash point of an operation in turn.
import { type FileSystem, nodeFileSystem } from './file-system.ts';

export interface FileCall {
  /** Name in the table of file operations, for instance `renameSync`. */
  readonly name: keyof FileSystem;
  /** How many calls came before it. */
  readonly index: number;
  /** The first argument when it is a path. */
  readonly path: string;
}

/** `crash` before the call, or the name of an errno with which it fails; undefined lets it through. */
export type FileFault = 'crash' | 'ENOSPC' | 'EROFS' | 'EIO' | 'EACCES' | undefined;

/** Thrown at and after a simulated death of the process; nothing may handle it. */
export class SimulatedCrash extends Error {
  override readonly name = 'SimulatedCrash';
}

export function faultyFileSystem(
  decide: (call: FileCall) => FileFault,
  real: FileSystem = nodeFileSystem,
): FileSystem {
  let index = 0;
  let dead = false;
  const check = (name: keyof FileSystem, first: unknown): void => {
    const path = typeof first === 'string' || Buffer.isBuffer(first) ? String(first) : '';
    const fault = dead ? 'crash' : decide({ name, index: index++, path });
    if (fault === undefined) return;
    if (fault !== 'crash') throw systemError(fault, name, path);
    dead = true;
    throw new SimulatedCrash(`the process died at ${name} ${path}`);
  };
  const wrapped = Object.entries(real).map(([key, call]) => {
    const name = key as keyof FileSystem;
    const checked = (...args: readonly unknown[]) => {
      check(name, args[0]);
      return (call as (...args: readonly unknown[]) => unknown)(...args);
    };
    return [name, name.endsWith('Sync') ? checked : async (...args: readonly unknown[]) => checked(...args)];
  });
  return Object.fromEntries(wrapped) as FileSystem;
}

function systemError(code: string, call: string, path: string): Error {
  const syscall = call.replace(/Sync$/, '');
  return Object.assign(new Error(`${code}: injected, ${syscall} '${path}'`), { code, syscall, path });
}
