import { fstatSync } from 'node:fs';
import { AppendedFile, type FileOptions } from './appended-file.js';
import type { Packet } from './packet.js';
import { copyToFirst, isSameFile, renameToFirst, type Rotation } from './rotation.js';

/** A file that is rotated between pieces, unless the file is empty. */
export class RotatedFile extends AppendedFile {
  readonly #rotation: Rotation;
  readonly #now: () => number;
  #nextMs: number;

  constructor(fd: number, path: string, rotation: Rotation, options: FileOptions) {
    super(fd, path, options);
    this.#rotation = rotation;
    this.#now = rotation.now ?? (() => performance.now());
    this.#nextMs = this.#now() + rotation.everyMs;
  }

  protected override async append(packet: Packet): Promise<void> {
    for (let from = 0, until; from < packet.pieces; from = until) {
      const start = packet.startOf(from);
      const room = await this.#makeRoom(packet.startOf(from + 1) - start);
      until = Math.max(from + 1, packet.piecesWithin(start + room));
      await super.append(packet.slice(from, until));
    }
  }

  /** Rotates the file when due by time, or if the next piece does not fit. @returns the number of bytes that fit */
  async #makeRoom(pieceBytes: number): Promise<number> {
    const { maxBytes } = this.#rotation;
    const isTime = this.#isTime();
    await this.endTorn();
    let { size } = fstatSync(this.fd);
    if (size > 0 && (isTime || pieceBytes > maxBytes - size)) {
      await this.#rotate();
      await this.endTorn();
      ({ size } = fstatSync(this.fd));
    }
    return maxBytes - size;
  }

  #isTime(): boolean {
    const { everyMs } = this.#rotation;
    const lateMs = this.#now() - this.#nextMs;
    if (lateMs < 0) return false;
    this.#nextMs += everyMs * (Math.floor(lateMs / everyMs) + 1);
    return true;
  }

  async #rotate(): Promise<void> {
    const { keep, method } = this.#rotation;
    const rotated = { path: this.name, keep, usedFiles: this.options.usedFiles };
    // Another program may have rotated the file, with its SIGHUP still to come.
    const isOwn = isSameFile(this.fd, this.name);
    if (isOwn && method === 'copytruncate') {
      await copyToFirst(rotated, this.fd);
      return;
    }
    if (isOwn) renameToFirst(rotated);
    this.openAnew();
  }
}
