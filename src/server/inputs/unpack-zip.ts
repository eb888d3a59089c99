// A reader of zip files for what submissions bring: stored and deflated members, by the directory at the end of the file. Encrypted
// members, links and archives of more than 4 GB are refused by name.
import { type FileHandle, mkdir, open } from 'node:fs/promises';
import { dirname, join, posix } from 'node:path';
import { promisify } from 'node:util';
import { inflateRaw } from 'node:zlib';
import { serverErrors } from '../error-codes.ts';

const inflate = promisify(inflateRaw);
const refuse = (reason: string): Error => serverErrors.SUBMIT_ARCHIVE(reason);

const signatures = { end: 0x06054b50, member: 0x02014b50, local: 0x04034b50 };
const endBytes = 22;
const longestComment = 65_535;
const mostMembers = 65_535;
const largestMember = 2 ** 29;
const linkType = 0o120000;

interface Member {
  readonly path: string;
  readonly method: number;
  readonly packedBytes: number;
  readonly sizeBytes: number;
  readonly offset: number;
  readonly executable: boolean;
}

/** Writes the members below `folder`; `mostBytes` bounds them together. */
export async function unpackZipInto(folder: string, archive: string, mostBytes: number): Promise<void> {
  await using file = await open(archive);
  const members = await readDirectory(file);
  let total = 0;
  for (const member of members) {
    total += member.sizeBytes;
    if (total > mostBytes) throw refuse(`it holds more than ${mostBytes} bytes`);
    if (member.sizeBytes > largestMember)
      throw refuse(`${member.path} is larger than 512 MB; send it as a file`);
    const target = join(folder, member.path);
    if (member.path.endsWith('/')) {
      await mkdir(target, { recursive: true });
      continue;
    }
    const contents = await readMember(file, member);
    await mkdir(dirname(target), { recursive: true });
    await using written = await open(target, 'wx', member.executable ? 0o555 : 0o444);
    await written.writeFile(contents);
  }
}

async function readDirectory(file: FileHandle): Promise<Member[]> {
  const { size } = await file.stat();
  const tail = await readAt(
    file,
    Math.max(0, size - endBytes - longestComment),
    Math.min(size, endBytes + longestComment),
  );
  let at = tail.length - endBytes;
  while (at >= 0 && tail.readUInt32LE(at) !== signatures.end) at -= 1;
  if (at < 0) throw refuse('the directory of the zip file is missing');
  const count = tail.readUInt16LE(at + 10);
  const [length, start] = [tail.readUInt32LE(at + 12), tail.readUInt32LE(at + 16)];
  if (count > mostMembers || start === 0xffffffff || start + length > size)
    throw refuse('its directory is damaged or too large');
  const directory = await readAt(file, start, length);
  const members: Member[] = [];
  for (let next = 0; members.length < count; ) {
    const { member, length: bytes } = parseMember(directory, next);
    members.push(member);
    next += bytes;
  }
  return members;
}

function parseMember(directory: Buffer, at: number): { readonly member: Member; readonly length: number } {
  if (at + 46 > directory.length || directory.readUInt32LE(at) !== signatures.member)
    throw refuse('its directory is damaged');
  const nameBytes = directory.readUInt16LE(at + 28);
  const rest = directory.readUInt16LE(at + 30) + directory.readUInt16LE(at + 32);
  const path = directory.toString('utf8', at + 46, at + 46 + nameBytes);
  const mode = directory.readUInt32LE(at + 38) >>> 16;
  if (directory.readUInt16LE(at + 8) & 1) throw refuse(`${path} is encrypted`);
  if ((mode & 0o170000) === linkType) throw refuse(`${path} is a link`);
  return {
    member: {
      path: insidePath(path),
      method: directory.readUInt16LE(at + 10),
      packedBytes: directory.readUInt32LE(at + 20),
      sizeBytes: directory.readUInt32LE(at + 24),
      offset: directory.readUInt32LE(at + 42),
      executable: (mode & 0o111) !== 0,
    },
    length: 46 + nameBytes + rest,
  };
}

function insidePath(path: string): string {
  const plain = posix.normalize(path);
  const out = plain === '..' || plain.startsWith('../') || plain.startsWith('/');
  if (out || plain === '.' || /[\0\\]/.test(path)) throw refuse(`${path} leads out of it`);
  return plain;
}

async function readMember(file: FileHandle, member: Member): Promise<Buffer> {
  const { path, method, packedBytes, sizeBytes, offset } = member;
  const header = await readAt(file, offset, 30);
  if (header.readUInt32LE(0) !== signatures.local) throw refuse(`${path} is damaged`);
  const start = offset + 30 + header.readUInt16LE(26) + header.readUInt16LE(28);
  const packed = await readAt(file, start, packedBytes);
  if (method !== 0 && method !== 8) throw refuse(`${path} is compressed by method ${method}`);
  // The size that the directory promises also bounds what may come out.
  const contents =
    method === 0
      ? packed
      : await inflate(packed, { maxOutputLength: Math.max(1, sizeBytes) }).catch(() => null);
  if (contents?.length !== sizeBytes) throw refuse(`${path} is damaged`);
  return contents;
}

async function readAt(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const { size } = await file.stat();
  if (position + length > size) throw refuse('it ends too early');
  const { buffer } = await file.read(Buffer.alloc(length), 0, length, position);
  return buffer;
}
