/** The ways to rotate FILE: rename it to FILE.1 and create it anew, or copy it to FILE.1 and truncate it. */
export const ROTATION_METHODS = ['rename', 'copytruncate'] as const;
export type RotationMethod = (typeof ROTATION_METHODS)[number];

/** The moments at which a file is rotated: always between two pieces. */
export interface RotationMoments {
  /** A piece that would make the file larger goes to the next file; a larger piece has a file of its own. May be Infinity. */
  readonly maxBytes: number;
  /** The file is rotated before the first piece after each multiple of this time. May be Infinity. */
  readonly everyMs: number;
  /** The time in milliseconds since a fixed moment; never steps back. Default `performance.now`. */
  readonly now?: () => number;
}

/** The rotation of FILE. */
export interface Rotation extends RotationMoments {
  readonly method: RotationMethod;
  /** The number of rotated files that are kept: FILE.1 (the newest), FILE.2, …; from 1 on, may be Infinity. */
  readonly keep: number;
}
