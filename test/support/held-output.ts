import { closeSync, openSync } from 'node:fs';
import type { Packet } from '../../src/output/piece.js';
import { Destination } from '../../src/output/destination.js';
import { FileSink } from '../../src/output/file-sink.js';

/** What is done with a write: all of it stands, or the first pieces only and then the error. */
export type Outcome = 'taken' | { readonly standing: number; readonly error: Error };

/** A destination in memory. What happens to each write is planned; a write with no plan is taken, at once or when it is let go. */
export class HeldOutput extends Destination {
  /** A byte string for each write: what stands of it. */
  readonly writes: string[] = [];
  /** Set, it holds writes back until it is resolved. */
  held: Promise<void> = Promise.resolve();
  lastSecond: number | undefined;

  constructor(
    private readonly plan: Outcome[] = [],
    override readonly mayRecover = true,
    noun = 'group',
  ) {
    super(openDevice(), noun);
  }

  override findLastSecond(): Promise<number | undefined> {
    return Promise.resolve(this.lastSecond);
  }

  override async write(packet: Packet): Promise<void> {
    const outcome = this.plan.shift() ?? 'taken';
    await this.held;
    const standing = outcome === 'taken' ? packet.pieces : outcome.standing;
    this.writes.push(packet.bytes(0, standing).toString('latin1'));
    this.count(packet, 0, standing);
    if (outcome !== 'taken') throw outcome.error;
  }
}

/** An output that takes nothing until it is let go. */
export function holdOutput(noun = 'group'): { output: HeldOutput; letGo: () => void } {
  const output = new HeldOutput([], true, noun);
  let letGo = (): void => undefined;
  output.held = new Promise((resolve) => (letGo = resolve));
  return { output, letGo };
}

function openDevice(): FileSink {
  const fd = openSync('/dev/null', 'a');
  const sink = new FileSink(fd, '/dev/null');
  closeSync(fd);
  return sink;
}
