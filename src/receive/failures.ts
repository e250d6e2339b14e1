import { STATUS_CODES } from 'node:http';
import type { NameOption } from '../errors.js';
import { startDrawing } from '../requests/draws.js';
import { countOf } from '../wording.js';
import type { Protocol, Reply, RequestHead } from './protocols.js';

export const FAIL_BODIES = ['json', 'html', 'empty'] as const;
export const FAIL_STATUSES = ['503', '429', '500', '502', '504', '413'] as const;

/** The status of a document that is refused by itself: the queue of its shard is full. */
export const ITEM_STATUS = 429;

/** Failures on purpose, with the names of the command's options: shares are from 0 to 1, the delay in milliseconds. */
export interface FailureOptions {
  readonly fail: number;
  readonly failStatus?: (typeof FAIL_STATUSES)[number] | undefined;
  readonly failBody?: (typeof FAIL_BODIES)[number] | undefined;
  readonly failItems: number;
  readonly loseAnswer: number;
  readonly delay?: number | undefined;
  readonly seed: number;
}

/** Keeps these draws apart from those of `synth` and of faults. */
const PURPOSE = [0x72656365, 0x69766521] as const;

export interface Failures {
  readonly next: () => 'fail' | 'lose' | 'answer';
  readonly refusesItem: () => boolean;
  readonly replyTo: (head: RequestHead, protocol: Protocol) => Reply;
  readonly describe: (option: NameOption) => readonly string[];
}

/** Draws which requests fail, and which documents of those that do not, and counts them. */
export function drawFailures({ fail, loseAnswer, failItems, seed, ...answered }: FailureOptions): Failures {
  const { failBody = FAIL_BODIES[0], failStatus = FAIL_STATUSES[0] } = answered;
  const draw = startDrawing(PURPOSE, seed, 0);
  const drawItem = startDrawing(PURPOSE, seed, 1);
  const counts = { fail: 0, lose: 0, answer: 0, items: 0, refused: 0 };
  return {
    next: () => {
      const drawn = draw();
      const fate = drawn < fail ? 'fail' : drawn >= 1 - loseAnswer ? 'lose' : 'answer';
      counts[fate] += 1;
      return fate;
    },
    refusesItem: () => {
      const isRefused = drawItem() < failItems;
      counts.items += 1;
      counts.refused += Number(isRefused);
      return isRefused;
    },
    replyTo: (head, protocol) => {
      const message = `${failStatus === '413' ? 'too large' : 'unavailable'} on purpose; send again later`;
      const reply = protocol.refuse(Number(failStatus), message, head);
      if (failBody !== 'html') return failBody === 'json' ? reply : { ...reply, body: '' };
      const title = `${failStatus} ${STATUS_CODES[failStatus] ?? ''}`;
      const page = `<html>\n<head><title>${title}</title></head>\n<body>\n<center><h1>${title}</h1></center>\n</body>\n</html>\n`;
      return { ...reply, type: 'text/html', body: page };
    },
    describe: (option) => {
      const requests = countOf(counts.fail + counts.lose + counts.answer, 'request');
      const gotStatus = `${String(counts.fail)} got a ${failStatus} on purpose (${option('fail')})`;
      const gotNothing = `${String(counts.lose)} got no answer (${option('loseAnswer')})`;
      const refused = `${String(counts.refused)} got a ${String(ITEM_STATUS)} on purpose (${option('failItems')})`;
      return [
        ...(fail + loseAnswer > 0 ? [`of ${requests} with events, ${gotStatus}, ${gotNothing}`] : []),
        ...(failItems > 0 ? [`of ${countOf(counts.items, 'document')} in bulk requests, ${refused}`] : []),
      ];
    },
  };
}
