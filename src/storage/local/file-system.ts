// The file operations that the local storage uses, as one table, so that a simulation can make each of them fail or stop
// there as if the process had died. Names that end in `Sync` block; the others return promises.
import fs from 'node:fs';
import { promisify } from 'node:util';

export const nodeFileSystem = {
  accessSync: fs.accessSync,
  chmodSync: fs.chmodSync,
  closeSync: fs.closeSync,
  copyFileSync: fs.copyFileSync,
  existsSync: fs.existsSync,
  fchmodSync: fs.fchmodSync,
  fstatSync: fs.fstatSync,
  linkSync: fs.linkSync,
  lstatSync: fs.lstatSync,
  mkdirSync: fs.mkdirSync,
  openSync: fs.openSync,
  readSync: fs.readSync,
  readFileSync: fs.readFileSync,
  readdirSync: fs.readdirSync,
  readlinkSync: fs.readlinkSync,
  realpathSync: fs.realpathSync.native,
  renameSync: fs.renameSync,
  statSync: fs.statSync,
  symlinkSync: fs.symlinkSync,
  unlinkSync: fs.unlinkSync,
  writeFileSync: fs.writeFileSync,
  appendFile: fs.promises.appendFile,
  copyFile: fs.promises.copyFile,
  fsync: promisify(fs.fsync),
  /** Reads at a position of an open file; resolves with the number of bytes. */
  read: (fd: number, buffer: Buffer, position: number): Promise<number> =>
    new Promise((resolve, reject) => {
      fs.read(fd, buffer, 0, buffer.length, position, (error, bytes) =>
        error ? reject(error) : resolve(bytes),
      );
    }),
  readdir: fs.promises.readdir,
  readFile: fs.promises.readFile,
  rmdir: fs.promises.rmdir,
  stat: fs.promises.stat,
  statfs: fs.promises.statfs,
  unlink: fs.promises.unlink,
  writeFile: fs.promises.writeFile,
};

export type FileSystem = typeof nodeFileSystem;
